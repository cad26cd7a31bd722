"""One array of numbers in NumPy's .npy format, whose header is checked before memory is taken for it."""

from __future__ import annotations

import math
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
"""Later formats are for the names of fields, and arrays of numbers have none."""


def read_array(file: IO[bytes], most_bytes: int) -> npt.NDArray[Any]:
    """Return an array of at most so many bytes; raise whatever NumPy raises for a header that is none."""
    version = npy.read_magic(file)
    if version not in READERS:
        raise ValueError(f"version {version} of the .npy format")
    shape, fortran_order, dtype = READERS[version](file)
    if dtype.kind not in "biuf":
        raise ValueError(f"an array of {dtype}")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or size > most_bytes:
        raise ValueError(f"an array of shape {shape}, for which there are too few bytes")
    content = file.read(size)
    if len(content) < size:
        raise ValueError(f"{len(content)} of {size} bytes: it was cut off")
    flat = np.frombuffer(bytearray(content), dtype)  # of a copy, which may be written to
    return flat.reshape(shape, order="F" if fortran_order else "C")
