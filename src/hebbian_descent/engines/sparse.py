"""Inputs that are mostly zero: when products leave out the zeros, and the compiled patterns without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent.checks import Array

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core, _SparsePatterns

LARGEST_SHARE = 0.5
"""Of inputs that are not zero: beyond, products of whole matrices are as fast."""

SMALLEST_BATCH = 8
"""Of patterns: with fewer, the product with the offset costs more than the zeros do."""


def leaving_out_zeros_pays(share: float, n: int) -> bool:
    """Return whether products with n patterns at a time, of which a share is not zero, should skip zeros."""
    return share <= LARGEST_SHARE and n >= SMALLEST_BATCH


def sparse_patterns(
    native: Core, patterns: Array, dtype: np.dtype[Any], columns: tuple[int, int] | None = None
) -> _SparsePatterns:
    """Return patterns without their zeros in some precision, or some of their columns."""
    kind = native.SparsePatterns32 if dtype == np.float32 else native.SparsePatterns64
    return kind(patterns, *(columns or (0, patterns.shape[1])))
