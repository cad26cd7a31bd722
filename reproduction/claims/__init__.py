"""The paper's twenty numbered conclusions and some statements of its text, each with a check and a verdict.

Analytical claims are checked on small random networks, empirical ones by the measured cells of the tables; if
those were not run there is no verdict. Printed numbers are shown for comparison only.

Paper: sec:conclusion
"""

from __future__ import annotations

from reproduction.claims import (
    autoencoders,
    convergence,
    epochs,
    forgetting_curve,
    gradients,
    hidden,
    likelihoods,
    no_objective,
    online,
    perspectives,
    text_of_decay,
    text_of_descents,
    text_of_epochs,
    text_of_streams,
    text_of_units,
)
from reproduction.claims.base import Claim, Judged, Judgement, judged
from reproduction.run_context import RunContext

__all__ = ["CLAIMS", "Claim", "Judged", "Judgement", "judge_all"]

MODULES = (
    gradients,
    convergence,
    perspectives,
    likelihoods,
    online,
    epochs,
    forgetting_curve,
    autoencoders,
    no_objective,
    hidden,
    text_of_streams,
    text_of_units,
    text_of_decay,
    text_of_descents,
    text_of_epochs,
)

CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for module in MODULES for claim in module.CLAIMS), key=lambda claim: claim.number)
)


def judge_all(context: RunContext) -> list[Judged]:
    """Judge every claim by the measurements of a run context; small computations use its store."""
    return [judged(claim, context) for claim in CLAIMS]
