"""Cache-line-aligned arrays for the compiled core, with rows of whole vectors.

Storing a vector that straddles two lines takes longer, and compiled loops handle no remainder.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]
LINE_BYTES = 64
VECTOR_BYTES = LINE_BYTES
"""Size of a vector in the compiled core, on any processor: one cache line."""


def aligned(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Return an uninitialised aligned array."""
    return _aligned_in(np.empty, shape, dtype)


def aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Return an aligned array of zeros, which take no memory until they are written."""
    return _aligned_in(np.zeros, shape, dtype)


def _aligned_in(make: Callable[..., Any], shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    n_bytes = prod(shape) * np.dtype(dtype).itemsize
    room = make(n_bytes + LINE_BYTES, np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    array: Array = room[start : start + n_bytes].view(dtype).reshape(shape)
    return array


def aligned_copy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy in the same order, aligned if it is a matrix of floating-point numbers."""
    if array.ndim != 2 or array.dtype.kind != "f":
        return np.array(array, order="K")  # a plain array, even of one that is mapped into memory
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return aligned_copy(array.T).T
    copied = aligned(array.shape, array.dtype)
    copied[:] = array
    return copied


def whole_vectors(n_columns: int, itemsize: int) -> int:
    """Return the number of columns, rounded up to whole vectors."""
    n_lanes = VECTOR_BYTES // itemsize
    return -(-n_columns // n_lanes) * n_lanes


def row_length(n_columns: int, itemsize: int) -> int:
    """Return the length of rows that are computed as a whole.

    With a multiple of 8 vectors per row, the same vector of all rows would map to few cache sets.
    """
    length = whole_vectors(n_columns, itemsize)
    return length + (length * itemsize % (8 * VECTOR_BYTES) == 0) * VECTOR_BYTES // itemsize


def in_vectors(columns: Array, dtype: npt.DTypeLike, beyond: float = 0.0) -> Array:
    """Return a copy whose rows are padded to whole vectors with one value."""
    return _filled_up(columns, row_length(columns.shape[1], np.dtype(dtype).itemsize), dtype, beyond)


def as_vectors(columns: Array) -> Array:
    """Return the given columns if they are whole vectors, else a copy padded with zeros."""
    is_whole = (
        columns.shape[1] * columns.itemsize % VECTOR_BYTES == 0 and columns.strides[1] == columns.itemsize
    )
    return columns if is_whole else in_vectors(columns, columns.dtype)


def padded(columns: Array) -> Array:
    """Return a copy padded with columns of zeros, so that rows are an odd number of vectors.

    Only whole vectors of the given columns are computed; the last one keeps rows of the same few columns in
    different cache sets.
    """
    length = whole_vectors(columns.shape[1], columns.itemsize)
    is_even = length * columns.itemsize // VECTOR_BYTES % 2 == 0
    return _filled_up(columns, length + is_even * VECTOR_BYTES // columns.itemsize, columns.dtype, 0.0)


def _filled_up(columns: Array, length: int, dtype: npt.DTypeLike, beyond: float) -> Array:
    n_rows, n_columns = columns.shape
    filled = aligned((n_rows, length), dtype)
    filled[:, :n_columns] = columns
    filled[:, n_columns:] = beyond
    return filled
