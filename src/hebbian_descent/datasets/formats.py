"""Readers of file formats that several datasets share: compressed files, LIBSVM's text, NumPy's arrays.

Sizes are checked before memory is allocated; nothing is unpickled, and nothing that is read is executed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import math
import os
import warnings
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from hebbian_descent.datasets.dataset import FileFormat, Split, Splits
from hebbian_descent.safe_files import open_regular

LARGEST = 1 << 28
"""Upper bound on the decompressed size of any public file, in bytes."""
OVERHEAD = 1 << 16
"""Number of bytes by which a compressed file may exceed its content."""
PIECE = 1 << 20


def read_content(path: Path, at_most: int = LARGEST) -> bytes:
    """Return the whole decompressed content of `path`, which must not exceed `at_most` bytes.

    The compression is recognised by the first bytes, not by the name: browsers and servers decompress files
    without renaming them.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > at_most + OVERHEAD:
            raise ValueError(f"it must have at most {at_most} bytes, but has {size}")
        source = _decompressing(file)
        pieces, n_bytes = [], 0
        while piece := source.read(PIECE):
            pieces.append(piece)
            n_bytes += len(piece)
            if n_bytes > at_most:
                raise ValueError(f"its content must have at most {at_most} bytes, but has more")
    return b"".join(pieces)


def _decompressing(file: io.BufferedReader) -> io.BufferedIOBase:
    beginning = file.peek(3)
    if beginning.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if beginning.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return file


# Marks the end of a line among the numbers of a file; no label or index of a dataset is that small.
END_OF_ROW = -(2**31)
MOST_ROWS = 100_000
"""More rows than any of the files has; a short line takes as much memory as a long one."""


def parse_binary_libsvm(
    content: bytes, n_features: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the inputs as a matrix of zeros and ones, and the labels as in the file.

    LIBSVM's text, for data whose features are all zero or one: a line is `label index:1 index:1 …`, the
    indices counted from 1.
    """
    lines = [line.rstrip() for line in content.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_ROWS:
        raise ValueError(f"it must hold one row per line, at most {MOST_ROWS}, but holds {len(lines)}")
    numbers = _whole_numbers((b"\n".join(lines) + b"\n").replace(b":1\n", b"\n").replace(b":1 ", b" "))
    row_ends = np.flatnonzero(numbers == END_OF_ROW)
    row_starts = np.concatenate([[0], row_ends[:-1] + 1])
    is_index = numbers != END_OF_ROW
    is_index[row_starts] = False
    row_of_number = np.cumsum(numbers == END_OF_ROW)
    indices = numbers[is_index]
    if indices.size and (indices.min() < 1 or indices.max() > n_features):
        raise ValueError(
            f"feature indices must lie in 1..{n_features}, but range from {indices.min()} to {indices.max()}"
        )
    inputs = np.zeros((len(row_ends), n_features), dtype=np.uint8)
    inputs[row_of_number[is_index], indices - 1] = 1
    return inputs, numbers[row_starts]


def _whole_numbers(text: bytes) -> npt.NDArray[np.int64]:
    marked = text.replace(b"\n", b" %d " % END_OF_ROW)
    with warnings.catch_warnings():
        # At anything but a number, older versions of NumPy stop and only warn; newer ones raise.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(marked, dtype=np.int64, sep=" ")
        except (DeprecationWarning, ValueError):
            raise ValueError("a line must read `label index:1 index:1 …`, but one does not") from None


READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
"""Later versions concern field names, which arrays of numbers do not have."""


def read_array(file: IO[bytes], most_bytes: int) -> npt.NDArray[Any]:
    """Return an array of at most `most_bytes` bytes."""
    beginning = file.read(len(npy.MAGIC_PREFIX) + 2)
    if not beginning.startswith(npy.MAGIC_PREFIX) or len(beginning) < len(npy.MAGIC_PREFIX) + 2:
        got = f"begins with {beginning!r}" if beginning else "is empty"
        raise ValueError(f"an array must begin as NumPy writes it, with {npy.MAGIC_PREFIX!r}, but {got}")
    version = (beginning[-2], beginning[-1])
    if version not in READERS:
        raise ValueError(f"an array must be in version 1.0 or 2.0 of the .npy format, but is in {version}")
    try:
        shape, fortran_order, dtype = READERS[version](file)
    except (MemoryError, RecursionError):  # from Python's parser, however much memory there is
        raise ValueError("the header of an array must be a small dictionary, but is nested deeply") from None
    except Exception:  # NumPy's message would suggest loading it with pickle
        raise ValueError("the header of an array must say its shape and its type, but is damaged") from None
    if dtype.kind not in "biuf":
        raise ValueError(f"an array must hold numbers, but holds {dtype}")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or size > most_bytes:
        raise ValueError(f"an array must have at most {most_bytes} bytes, but states the shape {shape}")
    content = file.read(size)
    if len(content) < size:
        raise ValueError(f"an array of shape {shape} must have {size} bytes, but has {len(content)}")
    if file.read(1):  # the end of a member of an archive is also where its checksum is compared
        raise ValueError(f"an array of shape {shape} must have {size} bytes, but has more")
    flat = np.frombuffer(bytearray(content), dtype)  # a writable copy
    return flat.reshape(shape, order="F" if fortran_order else "C")


def read_member(archive: ZipFile, member: ZipInfo, most_bytes: int) -> npt.NDArray[Any]:
    """Return an array of an archive."""
    # With other methods Python decompresses a whole member at once, whatever size it states.
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ValueError(f"an array must be stored or deflated, but has compression {member.compress_type}")
    with archive.open(member) as file:
        return read_array(file, most_bytes)


def archive_format(name: str, sha256: Mapping[str, str]) -> FileFormat:
    """Return the compact format of a dataset, the only one that may hold custom data."""
    return FileFormat((name,), parse_archive, lambda splits: splits, sha256, may_differ=True)


LARGEST_ARRAY = 1 << 26
"""Upper bound on the size of any array of the datasets, in bytes."""
MOST_MEMBERS = 1000
"""Files an archive may list; each takes memory before it is read."""


def parse_archive(content: bytes) -> Splits:
    """Return the splits in an archive; shapes and types are checked later."""
    if content.count(b"PK\x01\x02") > MOST_MEMBERS:
        raise ValueError(f"it must list at most {MOST_MEMBERS} arrays, but lists more")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        train, valid, test = (_split(archive, part) for part in ("train", "valid", "test"))
        if train is None:
            names = ", ".join(name.removesuffix(".npy") for name in archive.namelist())
            raise ValueError(f"it must hold x_train and y_train, but holds {names or 'nothing'}")
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


def shipped_arrays(name: str) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of one of the package's archives, which `tools/make_split_indices.py` made."""
    path = files("hebbian_descent.datasets").joinpath("splits", f"{name}.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        return dict(archive)
