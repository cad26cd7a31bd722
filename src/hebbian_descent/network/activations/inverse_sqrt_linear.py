"""Inverse square root linear units: linear above the threshold, an inverse square root below it."""

from math import inf, sqrt

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.activations.inverse_sqrt import InverseSqrtCurve
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def inverse_sqrt_linear(steepness: float = 1.0) -> Activation:
    """Return φ(a) = a for a ≥ 0 and a / √(1 + steepness·a²) below; the paper's α is `steepness`."""
    steepness = as_number(steepness, "steepness of inverse_sqrt_linear", above=0)
    bound = 1 / sqrt(steepness)
    curve = InverseSqrtCurve(steepness)

    def below(a: Array) -> Array:
        return np.minimum(a, 0)

    def antiderivative(a: Array) -> Array:
        return np.where(a >= 0, a * a / 2, curve.antiderivative(below(a)))

    def conjugate(t: Array) -> Array:
        return np.where(t >= 0, t * t / 2, curve.conjugate(below(t)))

    def matching_loss(t: Array, a: Array) -> Array:
        both_above = (a - t) ** 2 / 2
        both_below = curve.matching_loss(below(t), below(a))
        apart = antiderivative(a) - t * a + conjugate(t)
        return np.where((a >= 0) & (t >= 0), both_above, np.where((a < 0) & (t < 0), both_below, apart))

    return Activation(
        name="inverse_sqrt_linear",
        compiled="inverse_sqrt_linear",
        value=lambda a: a / curve.stretch(below(a)),
        pull_back=lambda error, a, h: error / curve.stretch(below(a)) ** 3,
        antiderivative=antiderivative,
        conjugate=conjugate,
        stable_matching_loss=matching_loss,
        domain=Interval(-bound, inf),
        output_range=(-bound, inf),
        largest_slope=1.0,
        strictly_increasing=True,
        parameters={"steepness": steepness},
    )
