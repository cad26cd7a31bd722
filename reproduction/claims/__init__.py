"""The paper's twenty numbered conclusions and some statements of its text, each with a check and a verdict.

Formulas are checked on small random networks; empirical claims by measured rows. Printed numbers are shown
for comparison only.

Paper: sec:conclusion
"""

from __future__ import annotations

from reproduction.claims import identities, tables, trained
from reproduction.claims.cells import Numbers
from reproduction.claims.judge import Claim, Judged, judge
from reproduction.claims.measured import EXPERIMENTS
from reproduction.context import Context

__all__ = ["CLAIMS", "EXPERIMENTS", "Claim", "Judged", "Numbers", "judge", "judge_all"]

CLAIMS: tuple[Claim, ...] = tuple(
    sorted((*identities.CLAIMS, *tables.CLAIMS, *trained.CLAIMS), key=lambda claim: claim.number)
)


def judge_all(context: Context) -> list[Judged]:
    """Judge every claim by the rows of a context: of your own runs, or else those under version control."""
    numbers = Numbers(context)
    return [judge(claim, numbers) for claim in CLAIMS]
