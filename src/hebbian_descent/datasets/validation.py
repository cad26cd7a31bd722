"""Validation of what was read: shapes and ranges, then the digests of the published arrays."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Description, FileFormat, PublicFiles, Split, Splits


def check_splits(splits: Splits, description: Description) -> None:
    """Raise a ValueError that names the first array that does not match the description."""
    _check_split("train", splits.train, description.n_train, description)
    _check_split("valid", splits.valid, description.n_valid, description)
    _check_split("test", splits.test, description.n_test, description)


def _check_split(part: str, split: Split | None, n_patterns: int, description: Description) -> None:
    if split is None:
        if n_patterns:
            raise ValueError(f"the {part} part must hold {n_patterns} patterns, but is missing")
        return
    _check_array(f"x_{part}", split.inputs, (n_patterns, description.n_features))
    if description.divisor == 1 and split.inputs.max() > 1:
        raise ValueError(f"x_{part} must hold zeros and ones only, but holds {split.inputs.max()}")
    if split.labels is None:
        raise ValueError(f"y_{part} must hold {n_patterns} labels, but is missing")
    _check_array(f"y_{part}", split.labels, (n_patterns,))
    if split.labels.max() >= description.n_classes:
        raise ValueError(
            f"y_{part} must hold labels below {description.n_classes}, but holds {split.labels.max()}"
        )


def _check_array(name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.dtype != np.uint8 or array.shape != shape:
        raise ValueError(
            f"{name} must be uint8 of shape {shape}, but is {array.dtype} of shape {array.shape}"
        )


TOLERANCE = 0.02
"""Allowed deviation of custom data from the paper's baselines; rounding and other grey scales stay below."""


def difference_from_published(
    splits: Splits, file_format: FileFormat, description: Description
) -> str | None:
    """Return how valid data differ from the published ones, or None if they do not.

    Raises a ValueError if this format must not differ, or if the baselines are too far from the paper's.
    """
    others = [name for name, published in file_format.sha256.items() if digest(splits, name) != published]
    if not others:
        return None
    difference = f"its content differs in {', '.join(others)} from the published {description.title}"
    if not file_format.may_differ:
        raise ValueError(difference)
    _check_figures(splits, description)
    return f"{difference}, but is plausible by its sizes, its range and the paper's baselines"


def digest(splits: Splits, name: str) -> str:
    """Return the SHA-256 of an array's numbers, row by row, or of all records in sorted order."""
    if name == "records":
        return hashlib.sha256(b"".join(sorted(_records(splits)))).hexdigest()
    kind, part = name.split("_")
    split: Split = getattr(splits, part)
    array = split.inputs if kind == "x" else split.labels
    return hashlib.sha256(np.ascontiguousarray(array)).hexdigest()  # type: ignore[arg-type]


def _records(splits: Splits) -> list[bytes]:
    parts = [part for part in (splits.train, splits.valid, splits.test) if part is not None]
    return [row.tobytes() for part in parts for row in np.column_stack([part.inputs, part.labels])]  # type: ignore[list-item]


def _check_figures(splits: Splits, description: Description) -> None:
    assert isinstance(description.origin, PublicFiles)
    assert splits.test is not None
    assert splits.test.labels is not None
    inputs = splits.test.inputs.astype(np.float32)
    figures = {
        "error of the most frequent label": (
            1 - np.bincount(splits.test.labels).max() / len(splits.test),
            description.origin.label_error,
        ),
        "mean deviation of inputs": (
            float(np.abs(inputs - inputs.mean(axis=0)).mean()) / description.divisor,
            description.origin.deviation,
        ),
    }
    for figure, (value, printed) in figures.items():
        if abs(value - printed) > TOLERANCE:
            raise ValueError(
                f"the {figure} in the test part must be near {printed}, as published, but is {value:.4f}"
            )
