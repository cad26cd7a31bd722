"""Inputs of stacked runs: whole or without their zeros for compiled products, or whole for a BLAS.

Compiled products treat every column alike, whatever stands beside it; a BLAS does not promise that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import LINE_BYTES, aligned
from hebbian_descent.checks import Array
from hebbian_descent.kernels.products import subtract_product

LARGEST_SHARE = 0.5
"""Of inputs that are not zero: beyond, products of whole matrices are as fast or faster."""

SMALLEST_BATCH = 8
"""Of patterns: with fewer, a BLAS is as fast or faster."""

Rows = npt.NDArray[np.intp]


class Batch(Protocol):
    """Some patterns, centered by an offset μ; the weights are `padded`."""

    def product(self, weights: Array) -> Array:
        """Return (x − μ)W."""
        ...

    def subtract_product(self, weights: Array, post: Array, keep: float) -> None:
        """Set W ← keep·W − (x − μ)ᵀpost."""
        ...


@dataclass(frozen=True, eq=False)
class PlainBatch:
    """Whole patterns, multiplied by a BLAS."""

    centered: Array

    def product(self, weights: Array) -> Array:
        """Return (x − μ)W."""
        a: Array = self.centered @ weights
        return a

    def subtract_product(self, weights: Array, post: Array, keep: float) -> None:
        """Set W ← keep·W − (x − μ)ᵀpost."""
        subtract_product(weights, self.centered, post, keep)


class WholeBatch:
    """Whole patterns, multiplied by compiled loops."""

    def __init__(self, patterns: Array, rows: Rows, offset: Array, *, learns: bool) -> None:
        from hebbian_descent.kernels.whole_products import whole_patterns

        self.centered, self.turned = whole_patterns(patterns, rows, offset, learns=learns)

    def product(self, weights: Array) -> Array:
        """Return (x − μ)W."""
        from hebbian_descent.kernels.whole_products import set_product

        a = aligned((len(self.centered), weights.shape[1]), weights.dtype)
        set_product(a, self.centered, weights)
        return a

    def subtract_product(self, weights: Array, post: Array, keep: float) -> None:
        """Set W ← keep·W − (x − μ)ᵀpost."""
        from hebbian_descent.kernels.whole_products import keep_and_add_product

        keep_and_add_product(weights, weights.dtype.type(keep), self.turned, post)


class SparseBatch:
    """What is not zero in patterns, and the offset, which takes part as one more row."""

    def __init__(self, patterns: Any, rows: Rows, offset: Array, *, learns: bool) -> None:
        from hebbian_descent.kernels.sparse_batches import by_input, by_pattern, copied

        self.offset, self.length = offset, len(rows)
        found = by_pattern(patterns, rows)
        self.by_pattern = copied(found) if learns else found
        self.by_input = by_input(patterns, rows, offset) if learns else None

    def product(self, weights: Array) -> Array:
        """Return (x − μ)W."""
        from hebbian_descent.kernels.sparse_products import set_centered_product

        a = aligned((self.length, weights.shape[1]), weights.dtype)
        set_centered_product(a, self.by_pattern, self.offset, weights)
        return a

    def subtract_product(self, weights: Array, post: Array, keep: float) -> None:
        """Set W ← keep·W − (x − μ)ᵀpost."""
        from hebbian_descent.kernels.sparse_products import subtract_centered_product

        subtract_centered_product(weights, weights.dtype.type(keep), self.by_input, post)


class Inputs:
    """Patterns, of which batches are taken; their zeros are left out once and for all if it pays."""

    def __init__(self, patterns: Array, *, is_compiled: bool, is_sparse: bool) -> None:
        self.whole, self.is_compiled, self.sparse = patterns, is_compiled, None
        if is_compiled and is_sparse:
            from hebbian_descent.kernels.sparse_batches import sparse_patterns

            whole = np.ascontiguousarray(patterns)
            self.sparse = sparse_patterns(whole, int(np.count_nonzero(whole)))

    def batch(self, rows: Rows, offset: Array, *, learns: bool = True) -> Batch:
        """Return the patterns at some rows; a batch that is only evaluated has no product to subtract."""
        if self.sparse is not None:
            return SparseBatch(self.sparse, rows, offset, learns=learns)
        if self.is_compiled:
            return WholeBatch(self.whole, rows, offset, learns=learns)
        return PlainBatch(self.whole[rows] - offset)


def leaving_out_zeros_pays(share: float, n: int) -> bool:
    """Return whether products with n patterns at a time, of which a share is not zero, should skip zeros."""
    return share <= LARGEST_SHARE and n >= SMALLEST_BATCH


def padded(columns: Array) -> Array:
    """Return a copy with columns of zeros at the end, such that every row begins with a line of the cache."""
    n_rows, n_columns = columns.shape
    in_line = LINE_BYTES // columns.itemsize
    wider = aligned((n_rows, -(-n_columns // in_line) * in_line), columns.dtype)
    wider[:, :n_columns], wider[:, n_columns:] = columns, 0
    return wider
