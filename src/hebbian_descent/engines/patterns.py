"""The pairs that a sweep learns and evaluates, and when products with them skip zeros."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_patterns
from hebbian_descent.storage.results import canonical

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core, _SparsePatterns

ROWS_AT_ONCE = 512
"""Few enough rows to stay in the cache, where an array of all patterns would not."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The pairs to learn, in order, and the pairs to evaluate, which may be the same."""

    inputs: Array
    targets: Array
    evaluated_inputs: Array
    evaluated_targets: Array

    @classmethod
    def of(
        cls,
        inputs: npt.ArrayLike,
        targets: npt.ArrayLike,
        evaluate_on: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    ) -> Patterns:
        """Check the patterns; integers become float64, and float32 stays float32."""
        x, t = _pairs(inputs, targets, "inputs", "targets")
        if evaluate_on is None:
            return cls(x, t, x, t)
        if not isinstance(evaluate_on, tuple) or len(evaluate_on) != 2:
            got = type(evaluate_on).__name__
            raise TypeError(f"evaluate_on must be a pair, (inputs, targets). Got {got}.")
        x_test, t_test = _pairs(*evaluate_on, "evaluated inputs", "evaluated targets")
        as_patterns(x_test, "evaluated inputs", n_columns=x.shape[1])
        as_patterns(t_test, "evaluated targets", n_columns=t.shape[1])
        return cls(x, t, x_test, t_test)

    @property
    def evaluated(self) -> tuple[Array, Array] | None:
        """The evaluated pairs, or None if they are the learned ones, which some engines exploit."""
        if self.evaluated_inputs is self.inputs and self.evaluated_targets is self.targets:
            return None
        return self.evaluated_inputs, self.evaluated_targets

    def in_precision(self, dtype: np.dtype[Any]) -> Patterns:
        """Return the same patterns with another dtype; arrays that have it are not copied."""
        x, t = self.inputs.astype(dtype, copy=False), self.targets.astype(dtype, copy=False)
        if self.evaluated is None:
            return Patterns(x, t, x, t)
        return Patterns(x, t, *(array.astype(dtype, copy=False) for array in self.evaluated))

    @cached_property
    def specification(self) -> Mapping[str, Any]:
        """The patterns as they enter the key of a stored cell, hashed once for all cells."""
        names = ("inputs", "targets", "evaluated_inputs", "evaluated_targets")
        return {name: canonical(getattr(self, name)) for name in names}

    @cached_property
    def share_of_inputs(self) -> float:
        """The share of the learned inputs that is not zero."""
        return np.count_nonzero(self.inputs) / max(1, self.inputs.size)

    @cached_property
    def share_of_evaluated_inputs(self) -> float:
        """The share of the evaluated inputs that is not zero."""
        if self.evaluated_inputs is self.inputs:
            return self.share_of_inputs
        return np.count_nonzero(self.evaluated_inputs) / max(1, self.evaluated_inputs.size)

    @cached_property
    def baseline(self) -> float:
        """The mean absolute error of always answering with the mean of the evaluated targets."""
        t, mean = self.evaluated_targets, self.evaluated_targets.mean(axis=0)
        blocks = (t[start : start + ROWS_AT_ONCE] for start in range(0, len(t), ROWS_AT_ONCE))
        return float(sum(np.abs(block - mean).sum(dtype=np.float64) for block in blocks) / t.size)


def _pairs(
    inputs: npt.ArrayLike, targets: npt.ArrayLike, name_of_inputs: str, name_of_targets: str
) -> tuple[Array, Array]:
    x = as_patterns(inputs, name_of_inputs)
    t = x if targets is inputs else as_patterns(targets, name_of_targets)
    if len(x) != len(t):
        raise ValueError(
            f"The {name_of_inputs} and {name_of_targets} must be pairs, equally many. "
            f"Got {len(x)} and {len(t)}."
        )
    return x, t


LARGEST_SHARE = 0.5
"""Share of nonzero inputs beyond which products of whole matrices are as fast."""

SMALLEST_BATCH = 8
"""Number of patterns below which the product with the offset costs more than the zeros."""


def leaving_out_zeros_pays(share: float, n: int) -> bool:
    """Return whether products with n patterns at a time, of which a share is not zero, should skip zeros."""
    return share <= LARGEST_SHARE and n >= SMALLEST_BATCH


def sparse_patterns(
    native: Core, patterns: Array, dtype: np.dtype[Any], columns: tuple[int, int] | None = None
) -> _SparsePatterns:
    """Return patterns without their zeros in some precision, or some of their columns."""
    kind = native.SparsePatterns32 if dtype == np.float32 else native.SparsePatterns64
    return kind(patterns, *(columns or (0, patterns.shape[1])))
