"""The automatic learning rate: as large as the pattern at hand allows.

    η = κ / (L·(‖x − μ‖² + 1))

One update moves the preactivation of its own pattern by η(‖x − μ‖² + 1) times the error, and the output by at
most L times that, where L is the largest slope of the activation. So κ is the part of the error that is taken
away at once, at most; it was chosen by measurement (docs/estimators/learning_rate.md). The rate looks at
nothing but the pattern that is learned, so it serves a stream as well as a dataset.

Some activations have no largest slope. At a jump (step, approximate step), and for an activation of one's own
that does not say its slope, L is 1. The slope of an exponential unit is its output: there L is the largest of
1, the outputs and the magnitudes of the targets of the pattern.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network import Activation

KAPPA = 0.5


def largest_slope(activation: Activation) -> float:
    """Return L, by the convention above where there is none."""
    return activation.largest_slope if isfinite(activation.largest_slope) else 1.0


def slope_at(activation: Activation, output: Array, targets: Array) -> float:
    """Return L for a batch."""
    slope = largest_slope(activation)
    if activation.name == "exponential" and activation.is_built_in:
        slope = max(slope, float(output.max()), float(np.abs(targets).max()))
    return slope


def automatic_rate(slope: float, *presynaptic: Array) -> float:
    """Return κ / (L·(‖pre‖² + 1)), the squared length averaged over the batch."""
    squares = sum(float(np.einsum("ij,ij->", pre, pre)) / len(pre) for pre in presynaptic)
    return KAPPA / (slope * (squares + 1))


def fixed_rate(learning_rate: object) -> float | None:
    """Return η as a number, or None where it is automatic."""
    if isinstance(learning_rate, str):
        if learning_rate != "auto":
            raise ValueError(f'The learning_rate must be a number or "auto". Got {learning_rate!r}.')
        return None
    return as_number(learning_rate, "learning_rate", at_least=0)
