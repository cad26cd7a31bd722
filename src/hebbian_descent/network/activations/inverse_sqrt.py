"""Inverse square root units: a saturating activation without an exponential."""

from math import sqrt

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def inverse_sqrt(steepness: float = 1.0) -> Activation:
    """Return φ(a) = a / √(1 + steepness·a²); the paper's α is `steepness`."""
    steepness = as_number(steepness, "steepness of inverse_sqrt", above=0)
    bound = 1 / sqrt(steepness)
    curve = InverseSqrtCurve(steepness)
    return Activation(
        name="inverse_sqrt",
        compiled="inverse_sqrt",
        value=lambda a: a / curve.stretch(a),
        pull_back=lambda error, a, h: error / curve.stretch(a) ** 3,
        antiderivative=curve.antiderivative,
        conjugate=curve.conjugate,
        stable_matching_loss=curve.matching_loss,
        domain=Interval(-bound, bound),
        output_range=(-bound, bound),
        largest_slope=1.0,
        strictly_increasing=True,
        parameters={"steepness": steepness},
    )


class InverseSqrtCurve:
    """The formulas that the inverse square root unit shares with its linear version.

    With √α·h = sin θ the activity is √α·a = tan θ, and the matching loss is a squared sine of half the
    difference of two angles.
    """

    def __init__(self, steepness: float) -> None:
        self.alpha = steepness

    def stretch(self, a: Array) -> Array:
        """Return √(1 + αa²)."""
        return np.sqrt(1 + self.alpha * a * a)

    def antiderivative(self, a: Array) -> Array:
        """Return (√(1 + αa²) − 1) / α."""
        return a * a / (1 + self.stretch(a))

    def conjugate(self, t: Array) -> Array:
        """Return (1 − √(1 − αt²)) / α; the bound of the domain may round to just outside it."""
        root: Array = np.sqrt(np.maximum(1 - self.alpha * t * t, 0))
        return t * t / (1 + root)

    def matching_loss(self, t: Array, a: Array) -> Array:
        """Return Φ(a) − t·a + Φ*(t)."""
        root = sqrt(self.alpha)
        half_angle = (np.arctan(root * a) - np.arcsin(np.clip(root * t, -1, 1))) / 2
        loss: Array = 2 * self.stretch(a) * np.sin(half_angle) ** 2 / self.alpha
        return loss
