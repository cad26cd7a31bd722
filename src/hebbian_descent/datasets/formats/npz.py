"""The compact form of a dataset: one NumPy archive with the arrays x_train, y_train and so on."""

from __future__ import annotations

import io
import math
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from hebbian_descent.datasets.dataset import Split, Splits

LARGEST_ARRAY = 1 << 26
"""More bytes than any array of the datasets has."""
MOST_MEMBERS = 1000
"""Files that an archive may list. Each takes memory before it is read."""
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def parse_archive(content: bytes) -> Splits:
    """Return the splits in one archive; its own shapes and types are taken as they come."""
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
    """Return an array, read-only; NumPy's own reader would take memory for any shape that a header states."""
    if f"{name}.npy" not in archive.namelist():
        return None
    member = archive.getinfo(f"{name}.npy")
    # Of the other methods, Python decompresses a whole member at once, whatever size it states.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} must be stored or deflated, and has compression {member.compress_type}")
    if member.file_size > LARGEST_ARRAY:
        raise ValueError(f"{name} must have at most {LARGEST_ARRAY} bytes, and has {member.file_size}")
    with archive.open(member) as file:
        content = file.read(member.file_size)
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"{name} must be a .npy file of version 1.0 or 2.0, and is {version}")
    shape, in_columns, dtype = HEADERS[version](stream)
    if dtype.hasobject:
        raise ValueError(f"{name} must hold numbers, and holds Python objects, which are never read")
    n_bytes = len(content) - stream.tell()
    if n_bytes != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name} states {dtype} of shape {shape}, and has {n_bytes} bytes")
    array = np.frombuffer(content, dtype, math.prod(shape), stream.tell())
    return array.reshape(shape, order="F" if in_columns else "C")
