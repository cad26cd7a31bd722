"""NumPy files: one array (.npy), and a whole dataset as one archive (.npz).

Headers are checked before memory is allocated; nothing is unpickled.
"""

from __future__ import annotations

import io
import math
import zipfile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from hebbian_descent.datasets.dataset import Split, Splits

READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
"""Later versions concern field names, which arrays of numbers do not have."""


def read_array(file: IO[bytes], most_bytes: int) -> npt.NDArray[Any]:
    """Return an array of at most `most_bytes` bytes; NumPy's own errors for a bad header pass through."""
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


LARGEST_ARRAY = 1 << 26
"""Upper bound on the size of any array of the datasets, in bytes."""
MOST_MEMBERS = 1000
"""Files an archive may list; each takes memory before it is read."""


def parse_archive(content: bytes) -> Splits:
    """Return the splits in an archive; shapes and types are checked later."""
    if content.count(b"PK\x01\x02") > MOST_MEMBERS:
        raise ValueError(f"it must list at most {MOST_MEMBERS} arrays, and lists more")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        train, valid, test = (_split(archive, part) for part in ("train", "valid", "test"))
        if train is None:
            names = ", ".join(name.removesuffix(".npy") for name in archive.namelist())
            raise ValueError(f"it must hold x_train and y_train, and holds {names or 'nothing'}")
        return Splits(train, valid, test)


def _split(archive: zipfile.ZipFile, part: str) -> Split | None:
    inputs, labels = _array(archive, f"x_{part}"), _array(archive, f"y_{part}")
    return None if inputs is None else Split(inputs, labels)


def _array(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any] | None:
    if f"{name}.npy" not in archive.namelist():
        return None
    try:
        return read_member(archive, archive.getinfo(f"{name}.npy"), LARGEST_ARRAY)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
