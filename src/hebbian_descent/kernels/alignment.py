"""Arrays that begin with a line of the cache: storing a vector that lies in two lines takes longer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array

LINE_BYTES = 64


def aligned(shape: tuple[int, int], dtype: npt.DTypeLike) -> Array:
    """Return an array that begins with a line of the cache; what is in it is left over."""
    n_bytes = shape[0] * shape[1] * np.dtype(dtype).itemsize
    room = np.empty(n_bytes + LINE_BYTES, np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    array: Array = room[start : start + n_bytes].view(dtype).reshape(shape)
    return array


def aligned_zeros(shape: tuple[int, int], dtype: npt.DTypeLike) -> Array:
    """Return zeros that begin with a line of the cache."""
    zeros = aligned(shape, dtype)
    zeros[:] = 0
    return zeros
