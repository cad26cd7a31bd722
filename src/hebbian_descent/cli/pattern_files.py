"""Patterns from a user's own files: .npy, .npz and .csv, one pattern a row. Never pickles."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import unknown_name


def read_pairs(inputs: str, targets: str | None) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return inputs and targets; without a second file the first must be an archive that holds both."""
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
    if not path.is_file():
        raise FileNotFoundError(f"The patterns must be in a file. Got {str(path)!r}, which is not there.")
    readers = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv}
    if path.suffix not in readers:
        raise ValueError(f"The file of patterns must end in {', '.join(readers)}. Got {path.name!r}.")
    try:
        return readers[path.suffix](path, key)
    except (OSError, EOFError) as error:
        raise ValueError(f"The file {str(path)!r} must be readable and whole. Got: {error}.") from None


def _read_npy(path: Path, key: str) -> npt.NDArray[Any]:
    try:
        array: npt.NDArray[Any] = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"The file {str(path)!r} must hold an array of numbers. Got: {error}.") from None
    return array


def _read_npz(path: Path, key: str) -> npt.NDArray[Any]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            names = list(archive.keys())
            if not key and len(names) == 1:
                key = names[0]
            if key not in names:
                raise unknown_name(f"array of {path.name} (given as {path.name}:NAME)", key, names)
            array: npt.NDArray[Any] = archive[key]
    except BadZipFile as error:
        raise ValueError(f"The file {str(path)!r} must be a whole .npz archive. Got: {error}.") from None
    return array


def _read_csv(path: Path, key: str) -> npt.NDArray[Any]:
    with path.open(encoding="utf-8") as lines:
        first = lines.readline()
    try:
        for cell in first.split(","):
            float(cell)
        header = 0
    except ValueError:
        header = 1  # names of columns
    try:
        return np.loadtxt(path, delimiter=",", skiprows=header, ndmin=2)
    except ValueError as error:
        raise ValueError(
            f"The file {str(path)!r} must hold numbers separated by commas, one pattern a line, after at "
            f"most one line of names. Got: {error}."
        ) from None
