"""Cache-line-aligned arrays: storing a vector that lies in two lines takes longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]
LINE_BYTES = 64


def aligned(shape: tuple[int, int], dtype: npt.DTypeLike) -> Array:
    """Return an uninitialised aligned array."""
    n_bytes = shape[0] * shape[1] * np.dtype(dtype).itemsize
    room = np.empty(n_bytes + LINE_BYTES, np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    array: Array = room[start : start + n_bytes].view(dtype).reshape(shape)
    return array


def aligned_copy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy in the same order, aligned if it is a matrix of floating-point numbers."""
    if array.ndim != 2 or array.dtype.kind != "f":
        return array.copy(order="K")
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return aligned_copy(array.T).T
    copied = aligned(array.shape, array.dtype)
    copied[:] = array
    return copied


def aligned_zeros(shape: tuple[int, int], dtype: npt.DTypeLike) -> Array:
    """Return an aligned array of zeros."""
    zeros = aligned(shape, dtype)
    zeros[:] = 0
    return zeros
