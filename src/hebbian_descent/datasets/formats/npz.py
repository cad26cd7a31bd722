"""The compact form of a dataset: one NumPy archive with the arrays x_train, y_train and so on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.formats.damage import reading


def read_archive(paths: Sequence[Path]) -> Splits:
    """Read the splits out of one archive; its own shapes and types are taken as they come."""
    (path,) = paths
    with reading(path), path.open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        if not isinstance(archive, NpzFile):
            raise ValueError("it must hold named arrays, and holds a single one")
        with archive:
            train, valid, test = (_split(archive, part) for part in ("train", "valid", "test"))
            if train is None:
                raise ValueError(f"it must hold x_train and y_train, and holds {', '.join(archive.files)}")
            return Splits(train, valid, test)


def _split(archive: NpzFile, part: str) -> Split | None:
    inputs, labels = f"x_{part}", f"y_{part}"
    if inputs not in archive.files:
        return None
    return Split(archive[inputs], archive[labels] if labels in archive.files else None)
