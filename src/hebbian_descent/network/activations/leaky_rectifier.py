"""Leaky rectifier units: a rectifier that never falls quite silent."""

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.registry import made_once


@made_once
def leaky_rectifier(slope: float = 0.01) -> Activation:
    """Return φ(a) = a for a ≥ 0 and slope·a below; the paper's α is `slope`."""
    slope = as_number(slope, "slope of leaky_rectifier", above=0)

    def slope_at(a: Array) -> Array:
        return np.where(a >= 0, 1, slope).astype(a.dtype)

    def antiderivative(a: Array) -> Array:
        return slope_at(a) * a * a / 2

    def conjugate(t: Array) -> Array:
        return t * t / (2 * slope_at(t))

    def matching_loss(t: Array, a: Array) -> Array:
        s = slope_at(a)
        same_side = (a >= 0) == (t >= 0)
        return np.where(same_side, (s * a - t) ** 2 / (2 * s), antiderivative(a) - t * a + conjugate(t))

    return Activation(
        name="leaky_rectifier",
        compiled="leaky_rectifier",
        value=lambda a: slope_at(a) * a,
        pull_back=lambda error, a, h: error * slope_at(a),
        antiderivative=antiderivative,
        conjugate=conjugate,
        stable_matching_loss=matching_loss,
        largest_slope=max(1.0, slope),
        strictly_increasing=True,
        parameters={"slope": slope},
    )
