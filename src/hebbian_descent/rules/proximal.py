"""Proximal Hebbian-descent: the error after the step instead of the error before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule

HALVINGS = 90
"""Bisections, enough for a root at machine precision within a step that is 10¹² times too long."""


def factors(activity: Activity) -> Factors:
    """Take an implicit step: ΔW = −η x̃ᵀE(t, h⁺), Δb = −η E(t, h⁺), with the output h⁺ = φ(a⁺) after it.

    The step moves the preactivation of its pattern by −η(‖x̃‖² + 1)E, so a⁺ is the root of one equation per
    unit, a⁺ = a − η(‖x̃‖² + 1)E(t, φ(a⁺)), which lies between a and where Hebbian-descent would take it. No
    learning rate is too large: the output moves toward the target and never past it. For small η it is
    Hebbian-descent; for linear units, the normalised delta rule (Nagumo and Noda, 1967) with
    η/(1 + η(‖x̃‖² + 1)) in place of η. Implicit steps in general: Kulis and Bartlett (2010), Toulis and
    Airoldi (2017).
    """
    x, a = activity.inputs - activity.offset, activity.preactivation
    t, phi = activity.targets, activity.activation
    if len(x) > 1 or not phi.elementwise:
        got = f"a batch of {len(x)}: use batch_size=1" if len(x) > 1 else f"{phi.name!r}: use hebbian_descent"
        raise ValueError(
            "The rule 'proximal' needs single patterns, and units that do not depend on each other. "
            f"Got {got}."
        )
    eta = activity.learning_rate
    if activity.strength is not None:
        eta = eta * np.maximum(activity.strength, 0)[:, np.newaxis]  # unlearning has no point to stop at
    reach = eta * ((x * x).sum(axis=1, keepdims=True) + 1)
    error = activity.error(t, activity.output)
    after = implicit_step(lambda v: activity.error(t, phi(v)), a, reach, halvings=HALVINGS)
    # From the distance moved: next to a large η the error at the root is too small to be exact.
    return Factors(pre=x, post=np.where(reach > 0, (a - after) / np.where(reach > 0, reach, 1), error))


def implicit_step(
    post: Callable[[Array], Array], preactivation: Array, reach: Any, *, halvings: int
) -> Array:
    """Step to the root of v − a + reach·post(v) along the explicit step, unit by unit."""
    a = preactivation
    near, far = a.copy(), a - reach * post(a)
    for _ in range(halvings):
        middle = near + (far - near) / 2
        is_short = (middle - a + reach * post(middle) > 0) == (far < near)
        near, far = np.where(is_short, middle, near), np.where(is_short, far, middle)
    return near


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule("proximal", factors, takes_rate=True, title="Proximal Hebbian-descent")
