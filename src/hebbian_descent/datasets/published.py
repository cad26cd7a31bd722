"""Published data, told from damaged and from other data by the digests of their arrays."""

from __future__ import annotations

import hashlib

import numpy as np

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import Description, Form, PublicFiles

TOLERANCE = 0.02
"""How far a figure of other data may be from the paper's; rounding and another grey are well within."""


def difference_from_published(splits: Splits, form: Form, description: Description) -> str | None:
    """Return how data of the right shape and range differ from the published ones; None if they do not.

    Raises a ValueError where they must not differ, or are too different to be the same kind of data.
    """
    others = [name for name, published in form.sha256.items() if digest(splits, name) != published]
    if not others:
        return None
    difference = f"its content differs in {', '.join(others)} from the published {description.title}"
    if not form.may_differ:
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
                f"the {figure} in the test part must be near {printed}, as published, and is {value:.4f}"
            )
