"""Pseudo-inverse memory: the weights that recall all pairs with the least squared error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.memory.classical import ClassicalMemory
from hebbian_descent.storage.models import saveable


@saveable
class PseudoInverseMemory(ClassicalMemory):
    """Linear units with W = X⁺T, X⁺ the pseudo-inverse of all cues.

    Linearly independent cues, at most N, recall their targets exactly; others with the least squared error
    (Kohonen and Ruohonen 1973). Where patterns recall themselves, W projects onto the space that they span,
    and with between="sign" it is the network of Personnaz, Guyon and Dreyfus (1986).

    The memory keeps G = XᵀX and XᵀT, from which W = G⁺XᵀT. Squared singular values of X below the
    rounding error of the largest count as 0.

    Args:
        n_inputs: Units of a cue.
        n_outputs: Units of a target; None for patterns that recall themselves.

    >>> memory = PseudoInverseMemory(3, 2)
    >>> memory.store([[1, 1, 0], [0, 1, 1]], [[1, 0], [0, 1]])
    >>> memory.recall([1, 1, 0]).round(6) + 0
    array([1., 0.])
    """

    SETTINGS = ("n_inputs", "n_outputs")
    ARRAYS: ClassVar = {"gram": ("n_inputs", "n_inputs"), "cross": ("n_inputs", "n_outputs")}

    def __init__(self, n_inputs: int, n_outputs: int | None = None) -> None:
        super().__init__(n_inputs, n_outputs)
        self.gram = np.zeros((self.n_inputs, self.n_inputs))
        self.cross = None if n_outputs is None else np.zeros((self.n_inputs, self.n_outputs))
        self._weights: Array | None = None

    @property
    def weights(self) -> Array:
        """W = (XᵀX)⁺XᵀT, computed at the first recall after patterns were stored."""
        if self._weights is None:
            self._weights = np.linalg.pinv(self.gram, hermitian=True) @ (
                self.gram if self.cross is None else self.cross
            )
        return self._weights

    @classmethod
    def _arrays(cls, parameters: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        arrays = super()._arrays(parameters)
        if parameters["n_outputs"] is None:
            arrays.pop("cross", None)
        return arrays

    def _learn(self, cues: Array, targets: Array) -> None:
        self.gram += cues.T @ cues
        if self.cross is not None:
            self.cross += cues.T @ targets
        self._weights = None

    def _respond(self, x: Array) -> Array:
        return x @ self.weights

    def _respond_unit(self, x: Array, unit: int) -> Array:
        response: Array = x @ self.weights[:, unit]
        return response

    def _energy(self, x: Array) -> Array:
        """Return −½ xWxᵀ; for units of −1 and 1 no update by the sign of the field increases it."""
        if not self.is_auto:
            return super()._energy(x)
        energy: Array = -0.5 * ((x @ self.weights) * x).sum(axis=1)
        return energy
