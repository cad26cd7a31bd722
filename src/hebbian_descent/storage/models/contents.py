"""What a model file must hold for a class to take it, and the error that says what is wrong."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import printable
from hebbian_descent.registry import Member
from hebbian_descent.safe_files import NotRegularError

LONGEST_MESSAGE = 1000
"""In characters; parts of a message may come from a file."""
LONGEST_WORD = 100
MOST_SAMPLES = 2**53
"""A million per second for three hundred years."""


class ModelFileError(ValueError):
    """A file does not hold a model, or a model cannot be saved; the message says why.

    Text from a file may be part of the message; control characters in it are escaped.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] = "") -> None:
        shown = message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"
        text = f"{os.fspath(path)}: {shown}" if path else shown
        super().__init__(printable(text))


def shortened(value: Any) -> str:
    """Return the representation of a value from a file, for a message."""
    return reprlib.repr(value)


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the path to the message of whatever is wrong with a file."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(str(error), path) from error.__cause__
    except NotRegularError as error:
        raise ModelFileError(f"A model is read from a file: {error}.", path) from None
    except MemoryError:
        raise ModelFileError("The model does not fit into memory.", path) from None


def require_names(found: Any, wanted: Collection[str], what: str) -> None:
    """Refuse anything but a mapping with exactly the wanted names."""
    if not isinstance(found, Mapping) or set(found) != set(wanted):
        got = ", ".join(sorted(found)) if isinstance(found, Mapping) else repr(found)
        raise ModelFileError(f"The {what} must be {', '.join(sorted(wanted))}. Got {got}.")


def require_plain(values: Mapping[str, Any]) -> None:
    """Refuse all but numbers, short words and members of the package's lists.

    >>> require_plain({"rule": "hebb", "shift": 0.5})
    """
    for name, value in values.items():
        plain = value is None or isinstance(value, bool | int | float | Member)
        if not plain and not (isinstance(value, str) and len(value) <= LONGEST_WORD):
            raise ModelFileError(f"The value of {name!r} must be a number or a word. Got {value!r}.")


def is_count(value: Any) -> bool:
    """Return whether this can be a number of samples that some computer has seen."""
    return type(value) is int and 0 <= value <= MOST_SAMPLES


def require_floats(arrays: Mapping[str, npt.NDArray[Any]], shapes: Mapping[str, str]) -> None:
    """Refuse arrays that are not the named ones, of one floating dtype, with shapes that fit together.

    A shape is a word with one letter per axis; equal letters stand for equal sizes. No axis is empty.

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
