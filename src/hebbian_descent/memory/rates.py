"""How far one pattern moves the weights and the offsets, when nobody says: rules that look at no later one.

One update with rate η changes the preactivation of its own pattern by −η(‖x̃‖² + 1) times the error, x̃ being
the centered input and the 1 the bias. The matching loss of the pattern is convex in the preactivation and
curved by L at most, the largest slope of the activation. So with η = κ/(L(‖x̃‖² + 1)) one update can go all
the way for κ = 1, and never makes the loss of its own pattern larger for κ up to 2, whatever the sizes are.
"""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import Activation

KAPPA_BOUNDED = 2.0
KAPPA_UNBOUNDED = 1.0
"""Chosen by measurement on hetero-association, see docs/memory.md. Between bounds most errors are large and
on a slope far below L, and the largest safe step does well; without bounds a longer step than 1 overshoots.
"""


def learning_rate_of(
    pre: Array, activation: Activation, *, targets: Array, output: Array, pulled_back: bool = False
) -> float:
    """Return η = κ/(L·(‖pre‖² + 1)) for one pattern, where `pre` is the centered input of the synapses.

    With `pulled_back` errors, as those of gradient descent, the slope counts twice: L².
    """
    low, high = activation.output_range
    kappa = KAPPA_BOUNDED if np.isfinite(low) and np.isfinite(high) else KAPPA_UNBOUNDED
    L = slope_bound(activation, targets, output)
    if pulled_back:
        L = L * L
    return float(kappa / (L * ((pre * pre).sum() + 1)))


def slope_bound(activation: Activation, targets: Array, output: Array) -> float:
    """Return L, the largest slope of an activation; by convention where there is none.

    Softmax counts with the slope of a unit by itself, at most 1/4: a longer step, with no such promise. The
    slope of exponential units is their output: L is the larger of target and output, and at least 1. Step
    units, whose outputs do not depend on the scale of their weights, and an activation that does not tell its
    largest slope have L = 1.
    """
    if activation.name == "softmax" and activation.is_built_in:
        return 0.25
    if np.isfinite(activation.largest_slope):
        return activation.largest_slope
    if activation.slope_is_output:
        return max(1.0, float(targets.max()), float(output.max()))
    return 1.0


def offset_rate(n_seen: int, shift: float, *, running_mean: bool) -> float:
    """Return by how much an offset moves towards pattern number `n_seen`, counted from 1: max(ν, 1/n) or ν.

    With 1/n the offset is the mean of all patterns so far; from n = 1/ν on it forgets the older ones.
    """
    return max(shift, 1 / n_seen) if running_mean else shift
