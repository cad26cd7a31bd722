"""Hopfield's memory: all patterns in one symmetric matrix, recalled by units that follow their fields."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from hebbian_descent.checks import Array, as_number
from hebbian_descent.memory.classical import ClassicalMemory, require_values
from hebbian_descent.storage.models import saveable


@saveable
class HopfieldMemory(ClassicalMemory):
    """A Hopfield network that stores patterns by the covariance rule.

        W = 1/(N·v) Σ (ξ − a)ᵀ(ξ − a),  Wᵢᵢ = 0;   xᵢ ← on if ((x − a)W)ᵢ > θ, off if < θ, unchanged at θ

    Patterns are −1 and 1 with a = 0, v = 1, θ = 0 (Hopfield 1982), or 0 and 1 with the mean activity a,
    v = a(1 − a), and θ = ½ − a halfway between the fields of units that are on and off (Tsodyks and
    Feigel'man 1988).

    One step from a stored pattern has the error ½ erfc(1/√(2α)) per unit for α = P/N, in large networks.
    Up to α = 0.138 recall ends near the pattern, at an overlap of 0.97 at the limit (Amit, Gutfreund and
    Sompolinsky 1985). Beyond it nothing is recalled, neither new patterns nor old ones.

    Args:
        n_units: N.
        activity: a, the share of ones in patterns of 0 and 1; None for patterns of −1 and 1.

    >>> memory = HopfieldMemory(6)
    >>> memory.store([[1, 1, 1, -1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> memory.recall([1, 1, 1, -1, -1, 1], until="converged")
    array([ 1.,  1.,  1., -1., -1., -1.])
    """

    SETTINGS = ("n_units", "activity")
    ARRAYS: ClassVar = {"sums": ("n_units", "n_units")}

    def __init__(self, n_units: int, *, activity: float | None = None) -> None:
        super().__init__(n_units)
        if activity is not None and as_number(activity, "activity", above=0, at_most=1) == 1:
            raise ValueError(
                "The activity must be below 1. Got 1: patterns in which all units are on are equal."
            )
        self.activity = None if activity is None else float(activity)
        # Σ, not divided by N: these are whole numbers for patterns of −1 and 1, so ties are exact.
        self.sums = np.zeros((self.n_units, self.n_units))

    @classmethod
    def for_patterns(cls, n_units: int, *, activity: float = 0.5, signed: bool = False) -> Self:
        """Return a network for signed patterns, or for patterns of 0 and 1 with their activity."""
        return cls(n_units, activity=None if signed else activity)

    @property
    def weights(self) -> Array:
        """W."""
        return self.sums / self._scale

    @property
    def off(self) -> float:
        """The value of a unit that is off: −1, or 0 where an activity is given."""
        return -1.0 if self.activity is None else 0.0

    @property
    def threshold(self) -> float:
        """θ, the field at which a unit stays as it is."""
        return 0.0 if self.activity is None else 0.5 - self.activity

    def _check(self, patterns: Array, name: str) -> None:
        hint = (
            "pass activity= for patterns of 0 and 1" if self.activity is None else "try 1 for units above 0"
        )
        require_values(patterns, (self.off, 1.0), f"{name} of this HopfieldMemory", hint)

    @property
    def _mean(self) -> float:
        return 0.0 if self.activity is None else self.activity

    @property
    def _scale(self) -> float:
        variance = 1.0 if self.activity is None else self.activity * (1 - self.activity)
        return self.n_units * variance

    def _learn(self, cues: Array, targets: Array) -> None:
        centered = cues - self._mean
        self.sums += centered.T @ centered
        np.fill_diagonal(self.sums, 0)

    def _respond(self, x: Array) -> Array:
        return self._turned(x, (x - self._mean) @ self.sums)

    def _respond_unit(self, x: Array, unit: int) -> Array:
        return self._turned(x[:, unit], (x - self._mean) @ self.sums[:, unit])

    def _turned(self, x: Array, field: Array) -> Array:
        theta = self.threshold * self._scale
        return np.where(field > theta, 1.0, np.where(field < theta, self.off, x))

    def _energy(self, x: Array) -> Array:
        """Return −½ x̃Wx̃ᵀ + θ Σᵢ xᵢ with x̃ = x − a."""
        centered = x - self._mean
        energy: Array = -0.5 * ((centered @ self.weights) * centered).sum(axis=1)
        energy += self.threshold * x.sum(axis=1)
        return energy
