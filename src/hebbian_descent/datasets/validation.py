"""The question whether what was read from a file is the dataset it is taken for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.datasets.dataset import Split, Splits
from hebbian_descent.datasets.description import Description


def check_splits(splits: Splits, description: Description) -> None:
    """Raise a ValueError that names the first array which is not as described."""
    _check_split("train", splits.train, description.n_train, description)
    _check_split("valid", splits.valid, description.n_valid, description)
    _check_split("test", splits.test, description.n_test, description)


def _check_split(part: str, split: Split | None, n_patterns: int, description: Description) -> None:
    if split is None:
        if n_patterns:
            raise ValueError(f"the {part} part must hold {n_patterns} patterns, and is missing")
        return
    _check_array(f"x_{part}", split.inputs, (n_patterns, description.n_features))
    if description.divisor == 1 and split.inputs.max() > 1:
        raise ValueError(f"x_{part} must hold zeros and ones only, and holds {split.inputs.max()}")
    if split.labels is None:
        raise ValueError(f"y_{part} must hold {n_patterns} labels, and is missing")
    _check_array(f"y_{part}", split.labels, (n_patterns,))
    if split.labels.max() >= description.n_classes:
        raise ValueError(
            f"y_{part} must hold labels below {description.n_classes}, and holds {split.labels.max()}"
        )


def _check_array(name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.dtype != np.uint8 or array.shape != shape:
        raise ValueError(
            f"{name} must be uint8 of shape {shape}, and is {array.dtype} of shape {array.shape}"
        )
