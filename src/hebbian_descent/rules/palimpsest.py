"""The palimpsest: Hebb's rule for bounded synapses, which forget instead of saturating."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.registry import made_once
from hebbian_descent.rules import hebb
from hebbian_descent.rules.base import Rule


@made_once
def rule(bound: float = 1.0) -> Rule:
    """Add the product of input and target, within hard bounds: w ← clip(w + η x̃t, −A, A).

    New patterns overwrite old ones, and a steady number of the latest stays readable, where Hebb's rule
    without bounds ends with none (Parisi, 1986; Nadal, Toulouse, Changeux and Dehaene, 1986). How many
    depends on η/A: large steps remember few patterns well. It is meant for patterns of −1 and 1, or
    centered ones. There is no bias to learn.
    """
    A = as_number(bound, "bound", above=0)

    def clipped(weights: Array) -> None:
        np.clip(weights, -A, A, out=weights)

    return Rule(
        "palimpsest",
        hebb.factors,
        learns_bias=False,
        takes_error_term=False,
        parameters={"bound": A},
        constraint=clipped,
        title="Palimpsest",
    )
