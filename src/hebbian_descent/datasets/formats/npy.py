"""One array of numbers in NumPy's .npy format, whose header is checked before memory is taken for it."""

from __future__ import annotations

import math
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
"""Later formats are for the names of fields, and arrays of numbers have none."""


def read_array(file: IO[bytes], most_bytes: int) -> npt.NDArray[Any]:
    """Return an array of at most so many bytes; raise whatever NumPy raises for a header that is none."""
    version = npy.read_magic(file)
    if version not in READERS:
        raise ValueError(f"an array must be in version 1.0 or 2.0 of the .npy format, and is in {version}")
    try:
        shape, fortran_order, dtype = READERS[version](file)
    except (MemoryError, RecursionError):  # of Python's parser, whatever memory there is
        raise ValueError("the header of an array must be a small dictionary, and is nested deeply") from None
    if dtype.kind not in "biuf":
        raise ValueError(f"an array must hold numbers, and holds {dtype}")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or size > most_bytes:
        raise ValueError(f"an array must have at most {most_bytes} bytes, and states the shape {shape}")
    content = file.read(size)
    if len(content) < size:
        raise ValueError(f"an array of shape {shape} must have {size} bytes, and has {len(content)}")
    if file.read(1):  # the end of a member of an archive is also where its checksum is compared
        raise ValueError(f"an array of shape {shape} must have {size} bytes, and has more")
    flat = np.frombuffer(bytearray(content), dtype)  # of a copy, which may be written to
    return flat.reshape(shape, order="F" if fortran_order else "C")


def read_member(archive: ZipFile, member: ZipInfo, most_bytes: int) -> npt.NDArray[Any]:
    """Return an array of an archive."""
    # Of the other methods, Python decompresses a whole member at once, whatever size it states.
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ValueError(f"an array must be stored or deflated, and has compression {member.compress_type}")
    with archive.open(member) as file:
        return read_array(file, most_bytes)
