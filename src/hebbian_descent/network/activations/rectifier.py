"""Rectifier units: silent below the threshold, linear above it."""

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def rectifier() -> Activation:
    """Return φ(a) = max(a, 0), with derivative 0 at 0.

    A unit with a ≤ 0 on every pattern is dead for gradient descent; Hebbian-descent brings it back.
    """
    return Activation(
        name="rectifier",
        compiled="rectifier",
        value=lambda a: np.maximum(a, 0),
        pull_back=lambda error, a, h: error * (a > 0),
        antiderivative=lambda a: np.maximum(a, 0) ** 2 / 2,
        conjugate=lambda t: t * t / 2,
        stable_matching_loss=_matching_loss,
        domain=Interval(0, np.inf),
        output_range=(0.0, np.inf),
        largest_slope=1.0,
    )


def _matching_loss(t: Array, a: Array) -> Array:
    return np.where(a > 0, (a - t) ** 2 / 2, t * (t / 2 - a))
