"""The perceptron rule: learn only from mistakes."""

from __future__ import annotations

import numpy as np

from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule


def factors(activity: Activity) -> Factors:
    """Add ±x̃ where a unit is on the wrong side: ΔW = η x̃ᵀs·[s·a ≤ 0], Δb = η s·[s·a ≤ 0].

    s is 1 where the target is above 0 and −1 elsewhere, for targets of 0 and 1 or of −1 and 1; a unit answers
    with the sign of its preactivation, whatever its activation (Rosenblatt, 1958). On separable patterns it
    makes a bounded number of mistakes.
    """
    x, mu, a = activity.inputs, activity.offset, activity.preactivation
    s = np.where(activity.targets > 0, 1, -1).astype(a.dtype)
    return Factors(pre=x - mu, post=np.where(s * a <= 0, -s, 0).astype(a.dtype))


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule("perceptron", factors, takes_error_term=False, title="Perceptron rule")
