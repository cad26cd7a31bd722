"""Datasets in memory: patterns and labels, split for training, validation and test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """One part of a dataset: one pattern per row of `inputs`, its class in `labels` (None if unlabelled)."""

    inputs: npt.NDArray[Any]
    labels: npt.NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.inputs)

    def __repr__(self) -> str:
        n_patterns, n_features = self.inputs.shape
        labelled = "without labels" if self.labels is None else "with labels"
        return f"Split({n_patterns} patterns of {n_features} {self.inputs.dtype} features, {labelled})"


@dataclass(frozen=True, eq=False)
class Splits:
    """The parts of a dataset; missing parts are None."""

    train: Split
    valid: Split | None = None
    test: Split | None = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """A dataset ready for training: inputs scaled as in the paper, labels counted from 0."""

    name: str
    train: Split
    valid: Split | None
    test: Split | None
    class_names: tuple[str, ...]
    image_shape: tuple[int, int] | None
    source: str
    licence: str
    files: tuple[Path, ...]
    """The files that were read; empty for generated data and data shipped with a library."""

    @property
    def n_features(self) -> int:
        """Number of features per pattern."""
        return int(self.train.inputs.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for a dataset without labels."""
        return len(self.class_names)
