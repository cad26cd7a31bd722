"""What the arrays and parameters of a file must be for a class to take them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.storage.models.errors import ModelFileError

MOST_SAMPLES = 2**53
"""A million per second for three hundred years."""


def require_names(found: Any, wanted: Collection[str], what: str) -> None:
    """Refuse what is not given by name, lacks a name, or has one more."""
    if not isinstance(found, Mapping) or set(found) != set(wanted):
        got = ", ".join(sorted(found)) if isinstance(found, Mapping) else repr(found)
        raise ModelFileError(f"The {what} must be {', '.join(sorted(wanted))}. Got {got}.")


def is_count(value: Any) -> bool:
    """Whether this can be a number of samples: one that no computer comes to the end of is refused, too."""
    return type(value) is int and 0 <= value <= MOST_SAMPLES


def require_floats(arrays: Mapping[str, npt.NDArray[Any]], shapes: Mapping[str, str]) -> None:
    """Refuse arrays that are not the named ones, of one floating dtype, with sizes that fit together.

    A shape is a word, one letter an axis: where a letter comes again the size is the same. No size is 0.

    >>> require_floats({"weights": np.ones((3, 2)), "bias": np.ones(2)}, {"weights": "NM", "bias": "M"})
    """
    require_names(arrays, shapes, "arrays")
    dtypes = {array.dtype for array in arrays.values()}
    if len(dtypes) > 1 or not all(np.issubdtype(dtype, np.floating) for dtype in dtypes):
        raise ModelFileError(f"The arrays must be of one floating dtype. Got {sorted(map(str, dtypes))}.")
    sizes: dict[str, int] = {}
    for name, letters in shapes.items():
        shape = arrays[name].shape
        fits = len(shape) == len(letters) and all(
            size > 0 and sizes.setdefault(letter, size) == size
            for letter, size in zip(letters, shape, strict=True)
        )
        if not fits:
            raise ModelFileError(f"The shapes of the arrays must fit together. Got {shape} for {name!r}.")
