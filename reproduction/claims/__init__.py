"""The paper's twenty numbered conclusions and some statements of its text, each with a check and a verdict.

Formulas are checked on small random networks; empirical claims by measured rows. Printed numbers are shown
for comparison only.

Paper: sec:conclusion
"""

from __future__ import annotations

from reproduction.claims import convergence, forgetting, identities, reconstruction, tables
from reproduction.claims.cells import Numbers
from reproduction.claims.judge import Claim, Judged, judge
from reproduction.claims.networks import Networks
from reproduction.context import Context

__all__ = ["CLAIMS", "EXPERIMENTS", "Claim", "Judged", "Numbers", "judge", "judge_all"]

PARTS = (identities, tables, convergence, forgetting, reconstruction)
CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for part in PARTS for claim in part.CLAIMS), key=lambda claim: claim.number)
)
EXPERIMENTS = {c.evidence.label: c.evidence for c in CLAIMS if isinstance(c.evidence, Networks)}
"""The networks that claims train, by label."""


def judge_all(context: Context) -> list[Judged]:
    """Judge every claim by the rows of a context: of your own runs, or else those under version control."""
    numbers = Numbers(context)
    return [judge(claim, numbers) for claim in CLAIMS]
