"""Approximate step units: a step whose two levels rise slowly, which gradient descent can follow."""

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.registry import made_once


@made_once
def approximate_step(slope: float = 0.01, height: float = 1.0) -> Activation:
    """Return φ(a) = slope·a for a < 0 and slope·a + height for a ≥ 0.

    The paper's α is `slope` and its β is `height`. Targets within the jump are reached at a = 0.
    """
    slope = as_number(slope, "slope of approximate_step", above=0)
    height = as_number(height, "height of approximate_step", above=0)

    def beyond_the_jump(t: Array) -> Array:
        return t - np.clip(t, 0, height)

    def matching_loss(t: Array, a: Array) -> Array:
        rest = beyond_the_jump(t)
        level = np.where(a >= 0, height, 0).astype(a.dtype)
        return (slope * a - rest) ** 2 / (2 * slope) + (level - (t - rest)) * a

    return Activation(
        name="approximate_step",
        compiled="approximate_step",
        value=lambda a: slope * a + np.where(a >= 0, height, 0).astype(a.dtype),
        pull_back=lambda error, a, h: slope * error,
        antiderivative=lambda a: slope * a * a / 2 + height * np.maximum(a, 0),
        conjugate=lambda t: beyond_the_jump(t) ** 2 / (2 * slope),
        stable_matching_loss=matching_loss,
        strictly_increasing=True,
        parameters={"slope": slope, "height": height},
    )
