"""Kanerva's sparse distributed memory: counters at random addresses in the space of cues."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import bdtr

from hebbian_descent.checks import Array, as_count
from hebbian_descent.memory.classical import ClassicalMemory, require_binary
from hebbian_descent.storage.models import saveable


@saveable
class SparseDistributedMemory(ClassicalMemory):
    """Sparse distributed memory for patterns of 0 and 1 (Kanerva 1988).

        yₖ = 1 if x differs from the address aₖ in at most r units;   C ← C + yᵀ(2t − 1);   h = 1 where yC > 0

    Each of M locations has a random address and one counter per output. A pair is added to the counters of
    all locations near its cue, and a cue reads the sum over the locations near it.

    With the share p of locations near a cue, T stored pairs and dense random cues, the sum that a unit reads
    at a stored cue has the signal-to-noise ratio ρ = √(M/((T − 1)(1 + p²M))), and the error of the unit is
    ½ erfc(ρ/√2); the ratio is largest near p = (2MT)^(−1/3) (Kanerva 1993).

    Args:
        n_inputs: Units of a cue.
        n_outputs: Units of a target; None for patterns that recall themselves.
        n_locations: M.
        radius: r. None takes the smallest for which p is at least (2MT)^(−1/3) with T = M/10.
        seed: Seed of the addresses.

    >>> memory = SparseDistributedMemory(16, n_locations=200)
    >>> memory.store([[1, 0] * 8, [1, 1, 0, 0] * 4])
    >>> memory.recall([0, 0] + [1, 0] * 7).astype(int)
    array([1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0])
    """

    SETTINGS = ("n_inputs", "n_outputs", "n_locations", "radius", "seed")
    ARRAYS: ClassVar = {"addresses": ("n_locations", "n_inputs"), "counters": ("n_locations", "n_outputs")}

    def __init__(
        self,
        n_inputs: int,
        n_outputs: int | None = None,
        *,
        n_locations: int = 1000,
        radius: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_inputs, n_outputs)
        self.n_locations = as_count(n_locations, "number of locations")
        if radius is None:
            radius = usual_radius(self.n_inputs, self.n_locations)
        self.radius = as_count(radius, "radius", at_least=0)
        self.seed = as_count(seed, "seed", at_least=0)
        rng = np.random.default_rng(self.seed)
        self.addresses = rng.random((self.n_locations, self.n_inputs)) < 0.5
        self.counters = np.zeros((self.n_locations, self.n_outputs), dtype=np.int64)

    def near(self, x: Array) -> Array:
        """Return y, 1 for the locations whose address is near each cue, and 0 for the others."""
        a = self.addresses.astype(np.float64)
        different = x.sum(axis=1, keepdims=True) + a.sum(axis=1) - 2 * x @ a.T  # (n_cues, n_locations)
        is_near: Array = (different <= self.radius).astype(np.float64)
        return is_near

    def _check(self, patterns: Array, name: str) -> None:
        require_binary(patterns, f"{name} of a SparseDistributedMemory")

    def _learn(self, cues: Array, targets: Array) -> None:
        change = self.near(cues).T @ (2 * targets - 1)  # whole numbers, exact in float64
        self.counters += change.astype(np.int64)

    def _respond(self, x: Array) -> Array:
        self._check(x, "cues")
        return (self.near(x) @ self.counters > 0).astype(np.float64)


def usual_radius(n_inputs: int, n_locations: int) -> int:
    """Return the smallest radius with the share (2MT)^(−1/3) of the locations, for T = M/10 patterns."""
    M, T = n_locations, n_locations / 10
    shares = bdtr(np.arange(n_inputs + 1), n_inputs, 0.5)  # of random addresses within each radius
    return int(np.searchsorted(shares, (2 * M * T) ** (-1 / 3)))
