"""The compact form of a dataset: one NumPy archive with the arrays x_train, y_train and so on."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy.typing as npt

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.formats.npy import read_member

LARGEST_ARRAY = 1 << 26
"""More bytes than any array of the datasets has."""
MOST_MEMBERS = 1000
"""Files that an archive may list. Each takes memory before it is read."""


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
    if f"{name}.npy" not in archive.namelist():
        return None
    try:
        return read_member(archive, archive.getinfo(f"{name}.npy"), LARGEST_ARRAY)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
