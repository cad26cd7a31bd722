"""Patterns from a user's files: .npy, .npz and .csv, one pattern per row. Pickles are never read."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import unknown_name
from hebbian_descent.datasets.formats import read_array, read_member
from hebbian_descent.safe_files import open_regular

ARCHIVE = "be a whole .npz archive"
LARGE_ARRAY, LARGEST_RATIO = 2**28, 100
"""An array larger than LARGE_ARRAY bytes must not exceed LARGEST_RATIO times the size of its archive."""


def read_pairs(inputs: str, targets: str | None) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return inputs and targets; without a second file, the first must be an archive with both."""
    if targets is not None:
        return read_patterns(inputs), read_patterns(targets)
    if not inputs.endswith(".npz"):
        raise ValueError(
            f"Give two files, inputs and targets, or one .npz that holds both. Got {inputs} alone."
        )
    return read_patterns(f"{inputs}:inputs"), read_patterns(f"{inputs}:targets")


def read_patterns(name: str) -> npt.NDArray[Any]:
    """Return the array of a file; `file.npz:key` names one array of an archive."""
    file, _, key = name.partition(".npz:")
    path = Path(f"{file}.npz" if key else name)
    readers = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv}
    if path.suffix not in readers:
        raise ValueError(f"The file of patterns must end in {', '.join(readers)}. Got {path.name!r}.")
    if not path.exists():
        raise FileNotFoundError(f"The patterns must be in a file. Got {str(path)!r}, which does not exist.")
    with _reading(path, "be a readable file"):
        opened = open_regular(path)
    with opened:
        return _two_dimensional(readers[path.suffix](opened, path, key), path)


def _two_dimensional(patterns: npt.NDArray[Any], path: Path) -> npt.NDArray[Any]:
    if patterns.ndim == 1:
        raise ValueError(
            f"The patterns in {str(path)!r} must have two dimensions, one pattern per row. Got one of "
            f"{len(patterns):,} numbers: for one number per pattern, save array[:, np.newaxis], for a single "
            "pattern array[np.newaxis]."
        )
    return patterns


@contextmanager
def _reading(path: Path, must: str) -> Iterator[None]:
    """Turn any error of a parser into one sentence that names the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except MemoryError:  # says nothing about the file
        raise
    except Exception as error:
        what = str(error).rstrip(".") or type(error).__name__
        raise ValueError(f"The file {str(path)!r} must {must}. Got: {what}.") from None


def _read_npy(file: BinaryIO, path: Path, key: str) -> npt.NDArray[Any]:
    with _reading(path, "hold an array of numbers"):
        return read_array(file, os.fstat(file.fileno()).st_size)


def _read_npz(file: BinaryIO, path: Path, key: str) -> npt.NDArray[Any]:
    with _reading(path, ARCHIVE):
        try:
            archive = ZipFile(file)
        except BadZipFile:
            raise ValueError("a file that is not an archive, or only part of one") from None
    members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
    if not key and len(members) == 1:
        (key,) = members
    if key not in members:
        raise unknown_name(f"array of {path.name} (given as {path.name}:NAME)", key, members)
    packed = os.fstat(file.fileno()).st_size  # an archive may claim anything about its members
    with _reading(path, ARCHIVE):
        return read_member(archive, members[key], max(LARGE_ARRAY, LARGEST_RATIO * packed))


def _read_csv(file: BinaryIO, path: Path, key: str) -> npt.NDArray[Any]:
    must = "hold numbers separated by commas, in UTF-8, one pattern per line, after at most one line of names"
    with _reading(path, must), io.TextIOWrapper(file, encoding="utf-8-sig") as text:
        header = 0 if any(map(_is_number, _cells(text.readline()))) else 1
        text.seek(0)
        try:
            return np.loadtxt(text, delimiter=",", skiprows=header, ndmin=2)
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            text.seek(0)
            raise _first_mistake(text, header) or error from None


def _first_mistake(lines: Iterable[str], header: int) -> ValueError | None:
    """Return the error of the first line with another number of cells, or a cell that is not a number."""
    n_columns = 0
    for number, line in enumerate(lines, 1):
        cells = _cells(line)
        if number <= header or cells == [""]:
            continue
        n_columns = n_columns or len(cells)
        if len(cells) != n_columns:
            return ValueError(f"{len(cells)} numbers in line {number}, but {n_columns} in the lines before")
        for column, cell in enumerate(cells, 1):
            if not _is_number(cell):
                return ValueError(f"{cell.strip()!r} in line {number}, column {column}")
    return None


def _cells(line: str) -> list[str]:
    return line.partition("#")[0].strip().split(",")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
