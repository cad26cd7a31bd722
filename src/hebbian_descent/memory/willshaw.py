"""Willshaw's memory: binary synapses that stay on once they are on."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hebbian_descent.checks import Array, as_count
from hebbian_descent.memory.between import Winners
from hebbian_descent.memory.classical import ClassicalMemory, require_binary
from hebbian_descent.storage.models import saveable


@saveable
class WillshawMemory(ClassicalMemory):
    """A binary memory for sparse patterns: clipped Hebbian learning.

        Wᵢⱼ = 1 if xᵢ = tⱼ = 1 in some stored pair;   hⱼ = 1 if Σᵢ xᵢWᵢⱼ = Σᵢ xᵢ

    A unit is on if every active unit of the cue has a synapse to it, so cues may lack units but must not have
    wrong ones; `n_winners` tolerates both (Willshaw, Buneman and Longuet-Higgins 1969; Palm 1980).

    P patterns with k of N units on set the share p = 1 − (1 − k²/N²)ᴾ of the synapses, and a unit that should
    be off is on with probability pᵏ. About one such unit per pattern, p = N^(−1/k), allows
    P = −ln(1 − p)·N²/k² patterns. The bits that a synapse holds approach ln 2 = 0.69, slowly: see
    examples/memory/classical_capacity.py.

    Args:
        n_inputs: Units of a cue.
        n_outputs: Units of a target; None for patterns that recall themselves.
        n_winners: Number of units that are on in every recalled pattern: those with the largest sums.

    >>> memory = WillshawMemory(6, 4)
    >>> memory.store([[1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0]], [[1, 0, 1, 0], [0, 1, 0, 1]])
    >>> memory.recall([0, 1, 0, 0, 0, 0])
    array([1., 0., 1., 0.])
    """

    SETTINGS = ("n_inputs", "n_outputs", "n_winners")
    ARRAYS: ClassVar = {"weights": ("n_inputs", "n_outputs")}

    def __init__(self, n_inputs: int, n_outputs: int | None = None, *, n_winners: int | None = None) -> None:
        super().__init__(n_inputs, n_outputs)
        self.n_winners = None if n_winners is None else as_count(n_winners, "number of winners")
        if self.n_winners is not None and self.n_winners > self.n_outputs:
            raise ValueError(
                f"There can be at most as many winners as outputs, {self.n_outputs}. Got {n_winners}."
            )
        self.weights = np.zeros((self.n_inputs, self.n_outputs), dtype=bool)

    @property
    def share_on(self) -> float:
        """p, the share of synapses that are on."""
        return float(self.weights.mean())

    def _check(self, patterns: Array, name: str) -> None:
        require_binary(patterns, f"{name} of a WillshawMemory")

    def _learn(self, cues: Array, targets: Array) -> None:
        together = cues.astype(np.float32).T @ targets.astype(np.float32)
        self.weights |= together > 0

    def _respond(self, x: Array) -> Array:
        self._check(x, "cues")
        active = x.astype(np.float32)  # counts are exact in float32
        sums = active @ self.weights
        if self.n_winners is not None:
            return Winners(self.n_winners)(sums).astype(np.float64)
        n_active = np.maximum(active.sum(axis=1, keepdims=True), 1)  # an empty cue recalls no unit
        on: Array = (sums == n_active).astype(np.float64)
        return on
