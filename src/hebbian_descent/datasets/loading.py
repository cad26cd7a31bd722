"""A dataset by its name, scaled as in the paper."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Dataset, Split
from hebbian_descent.datasets.registry import describe
from hebbian_descent.datasets.unscaled import read_unscaled


def load(
    name: str,
    *,
    dtype: npt.DTypeLike = np.float64,
    download: bool = True,
    folder: str | os.PathLike[str] | None = None,
) -> Dataset:
    """Load the dataset called `name`, downloading it first where it is missing.

    Inputs lie in [0, 1]. Of `rand` and `randn` these are the 100 patterns of seed 0; `draw_patterns` gives
    others. All parts are turned into `dtype` at once: as float64, CIFAR takes half a gigabyte.
    """
    floating = floating_type(dtype)
    description = describe(name)
    splits, files = read_unscaled(name, download=download, folder=folder)

    def scale(split: Split) -> Split:
        return scaled(split, description.divisor, floating)

    return Dataset(
        name=name,
        train=scale(splits.train),
        valid=None if splits.valid is None else scale(splits.valid),
        test=None if splits.test is None else scale(splits.test),
        class_names=description.class_names,
        image_shape=description.image_shape,
        source=description.source,
        licence=description.licence,
        files=files,
    )


def scaled(split: Split, divisor: int, dtype: np.dtype[np.floating]) -> Split:
    """Return a copy of `split` with floating inputs, divided by `divisor`, and labels that can index."""
    inputs = split.inputs.astype(dtype)
    inputs /= divisor
    return Split(inputs, None if split.labels is None else split.labels.astype(np.int64))


def floating_type(dtype: npt.DTypeLike) -> np.dtype[np.floating]:
    """Return `dtype` as a floating NumPy type, the only kind that scaled inputs fit in."""
    try:
        given: np.dtype[Any] | None = np.dtype(dtype)
    except TypeError:
        given = None
    if given is None or not np.issubdtype(given, np.floating):
        raise TypeError(f"The dtype must be a floating type such as float32 or float64. Got {dtype!r}.")
    return given
