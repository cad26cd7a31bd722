"""Dense associative memory: a modern Hopfield network that keeps its patterns."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import logsumexp, softmax

from hebbian_descent.checks import Array, as_count, as_number
from hebbian_descent.memory.classical import ClassicalMemory, require_values
from hebbian_descent.storage.models import saveable


@saveable
class DenseAssociativeMemory(ClassicalMemory):
    """A modern Hopfield network, for real patterns or, with a power, for patterns of −1 and 1.

        x ← Σ_μ ξ_μ softmax_μ(β ξ_μ·x),             E(x) = −1/β · ln Σ_μ exp(β ξ_μ·x) + ½‖x‖²
        xᵢ ← sign(E with xᵢ = −1 minus E with xᵢ = 1),   E(x) = −Σ_μ F(ξ_μ·x/N),  F(z) = zⁿ

    The first is that of Ramsauer et al. (2021), where one step is attention over the patterns; their bound on
    the number of patterns it recalls grows exponentially with N. The second, with `power` n, is that of
    Krotov and Hopfield (2016). For P random patterns its error per unit in one step is
    ½ erfc(√(Nⁿ⁻¹/(2(2n − 3)!!·P))), and nearly all patterns are fixed points up to
    P = Nⁿ⁻¹/(2(2n − 3)!! ln N); n = 2 is Hopfield's network.

    Nothing is compressed: the patterns themselves are kept, 8·N bytes each. See `n_bytes`.

    Args:
        n_units: N.
        beta: β, how much the most similar patterns count. Small values recall means of several patterns.
        power: n, for patterns of −1 and 1. β has no effect then.

    >>> memory = DenseAssociativeMemory(4)
    >>> memory.store([[9, 1, 0, 2], [0, 5, 7, 1]])
    >>> memory.recall([8, 1, 1, 1]).round(2)
    array([9., 1., 0., 2.])
    >>> memory.n_bytes
    64
    """

    SETTINGS = ("n_units", "beta", "power")
    ARRAYS: ClassVar = {"patterns": ("n_stored", "n_units")}

    def __init__(self, n_units: int, *, beta: float = 1.0, power: int | None = None) -> None:
        super().__init__(n_units)
        self.beta = as_number(beta, "beta", above=0)
        self.power = None if power is None else as_count(power, "power", at_least=2)
        self.patterns = np.empty((0, self.n_units))

    def __repr__(self) -> str:
        size = f"{self.n_units} → {self.n_units}"
        return f"DenseAssociativeMemory({size}, {self.n_stored} stored in {self.n_bytes} bytes)"

    def _check(self, patterns: Array, name: str) -> None:
        if self.power is not None:
            require_values(
                patterns, (-1.0, 1.0), f"{name} of a DenseAssociativeMemory with a power", "try 2x − 1"
            )

    def _learn(self, cues: Array, targets: Array) -> None:
        self.patterns = np.concatenate([self.patterns, cues])

    def _respond(self, x: Array) -> Array:
        if not self.n_stored:
            return x.copy()
        if self.power is None:
            attention = softmax(self.beta * (x @ self.patterns.T), axis=1)  # (n_cues, n_stored)
            response: Array = attention @ self.patterns
            return response
        self._check(x, "cues")
        gain = self._gain(x, self.power)
        return np.where(gain > 0, 1.0, np.where(gain < 0, -1.0, x))

    def _gain(self, x: Array, power: int) -> Array:
        """Return by how much the energy is lower with xᵢ = 1 than with xᵢ = −1, for each unit alone.

        With the overlap m of x and ξ_μ, it is Σ_μ F(m − ξᵢxᵢ + ξᵢ) − F(m − ξᵢxᵢ − ξᵢ). Since ξᵢxᵢ is 1 or −1,
        a pattern adds ξᵢ(F(m) − F(m − 2)) where it agrees with x and ξᵢ(F(m + 2) − F(m)) where it differs.
        """
        xi = self.patterns
        m = x @ xi.T  # (n_cues, n_stored)
        size = 2 ** self.n_units.bit_length()  # powers do not overflow, and ties stay exact
        below, at, above = (((m + shift) / size) ** power for shift in (-2, 0, 2))
        agree, differ = at - below, above - at
        gain: Array = 0.5 * ((agree + differ) @ xi + x * (agree - differ).sum(axis=1, keepdims=True))
        return gain

    def _energy(self, x: Array) -> Array:
        if not self.n_stored:
            raise ValueError("The energy of a DenseAssociativeMemory needs stored patterns. Got none.")
        overlaps = x @ self.patterns.T
        energy: Array
        if self.power is None:
            energy = 0.5 * (x * x).sum(axis=1) - logsumexp(self.beta * overlaps, axis=1) / self.beta
        else:
            energy = -((overlaps / self.n_units) ** self.power).sum(axis=1)
        return energy
