"""Contents of a model file: parameters to JSON and back, and what a class requires of them.

A rule, an activation or an error term is written as the name of its list, its own name and its parameters,
and looked up in that list again. A custom one is code, and code is never written to a file.
"""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import printable
from hebbian_descent.registry import FINDERS, Member
from hebbian_descent.safe_files import NotRegularError

LONGEST_MESSAGE = 1000
"""Characters; parts of a message may come from a file."""
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
    """Add the path to the message of any error in a file."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(str(error), path) from error.__cause__
    except NotRegularError as error:
        raise ModelFileError(f"A model must be read from a file: {error}.", path) from None
    except MemoryError:
        raise ModelFileError("The model does not fit into memory.", path) from None


def require_names(found: Any, wanted: Collection[str], what: str) -> None:
    """Refuse anything but a mapping with exactly the wanted names."""
    if not isinstance(found, Mapping) or set(found) != set(wanted):
        got = ", ".join(sorted(found)) if isinstance(found, Mapping) else repr(found)
        raise ModelFileError(f"The {what} must be {', '.join(sorted(wanted))}. Got {got}.")


def require_plain(values: Mapping[str, Any]) -> None:
    """Refuse anything but numbers, short words and members of the package's lists.

    >>> require_plain({"rule": "hebb", "shift": 0.5})
    """
    for name, value in values.items():
        plain = value is None or isinstance(value, bool | int | float | Member)
        if not plain and not (isinstance(value, str) and len(value) <= LONGEST_WORD):
            raise ModelFileError(f"The value of {name!r} must be a number or a word. Got {value!r}.")


def is_count(value: Any) -> bool:
    """Return whether this is a plausible number of samples."""
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


MEMBER = "$member"
STRINGS = "$strings"
MOST_CHARACTERS = 2**26
INTEGER_BOUND = 2**63


def to_json(value: Any, place: str = "parameters") -> Any:
    """Return a value as JSON, or raise a `ModelFileError` that names the part that cannot be saved."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) < INTEGER_BOUND:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [to_json(part, f"{place}[{number}]") for number, part in enumerate(value)]
    if isinstance(value, Mapping) and all(isinstance(key, str) and key[:1] != "$" for key in value):
        return {key: to_json(part, f"{place}.{key}") for key, part in value.items()}
    if isinstance(value, np.ndarray) and value.ndim == 1 and all(isinstance(part, str) for part in value):
        return {STRINGS: {"object": value.dtype == object, "values": [str(part) for part in value]}}
    if isinstance(value, Member) and type(value).__name__ in FINDERS:
        return _member_to_json(value, place)
    raise ModelFileError(
        f"What is saved must be numbers, words, or members of the package's lists. Got {value!r} in {place}."
    )


def from_json(value: Any) -> Any:
    """Return the value that a JSON form stands for."""
    if isinstance(value, list):
        return [from_json(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {MEMBER}:
        return _member_from_json(value[MEMBER])
    if set(value) == {STRINGS}:
        return _strings_from_json(value[STRINGS])
    return {key: from_json(part) for key, part in value.items()}


def _member_to_json(member: Member, place: str) -> dict[str, Any]:
    form = {
        MEMBER: {
            "list": type(member).__name__,
            "name": member.name,
            "parameters": to_json(dict(member.parameters), f"{place}.parameters"),
        }
    }
    if not member.is_built_in or from_json(form) is not member:
        raise ModelFileError(
            f"A model can only be saved with members of the package's lists. Got a custom {member.name!r} "
            f"in {place}: save its arrays, and make the model from them and your own code."
        )
    return form


def _member_from_json(form: Any) -> Member:
    well_formed = (
        isinstance(form, dict)
        and set(form) == {"list", "name", "parameters"}
        and isinstance(form["list"], str)
        and form["list"] in FINDERS
        and isinstance(form["name"], str)
        and isinstance(form["parameters"], dict)
    )
    if not well_formed:
        raise ModelFileError(
            f"A member of a list must be given by list, name and parameters. Got {shortened(form)}."
        )
    lists = {name: value for name, value in form["parameters"].items() if isinstance(value, list)}
    require_plain({**form["parameters"], **dict.fromkeys(lists, 0), "name": form["name"]})
    for name, numbers in lists.items():
        if not all(type(number) in (int, float) for number in numbers):
            raise ModelFileError(f"A list of {name!r} must hold only numbers. Got {shortened(numbers)}.")
    try:
        found = FINDERS[form["list"]](form["name"], **form["parameters"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(str(error)) from None
    if not found.is_built_in:
        raise ModelFileError(
            f"A member of a list must have the parameters it is listed with. Got {form['name']!a} with "
            f"{shortened(form['parameters'])}."
        )
    return found


def _strings_from_json(form: Any) -> Any:
    well_formed = (
        isinstance(form, dict)
        and set(form) == {"object", "values"}
        and isinstance(form["object"], bool)
        and isinstance(form["values"], list)
        and all(isinstance(part, str) for part in form["values"])
    )
    if not well_formed:
        raise ModelFileError(f"A list of words must hold only words. Got {shortened(form)}.")
    longest = max(map(len, form["values"]), default=0)
    if longest * len(form["values"]) > MOST_CHARACTERS:  # every entry has room for the longest word
        raise ModelFileError(
            f"A list of words must take at most {MOST_CHARACTERS} characters, each counted as the longest. "
            f"Got {len(form['values'])} words of up to {longest} characters."
        )
    return np.array(form["values"], dtype=object if form["object"] else np.str_)
