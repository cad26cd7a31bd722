"""Input validation, with error messages that help.

Every message says what must be, what came, and what to try. Nothing here knows about networks or data.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Sequence
from math import inf
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]


class MissingExtraError(ImportError):
    """An optional part of the package needs libraries that are not installed."""


LONGEST_LIST = 250
"""Longest list of names, in characters, that a message gives in full; of a longer one it suggests a few."""
MOST_SUGGESTED = 3


def unknown_name(what: str, got: object, options: Iterable[str]) -> ValueError:
    """Return the error for a name that is not among `options`, with the nearest ones as a suggestion."""
    names = sorted(options)
    listed = ", ".join(names)
    if len(listed) <= LONGEST_LIST:
        near = near_names(str(got), names)[:1]
        must = f"be one of {listed}"
    else:
        near = near_names(str(got), names)[:MOST_SUGGESTED]
        must = f"be one of {len(names)} names" + (
            "" if near else f", such as {', '.join(names[:MOST_SUGGESTED])}"
        )
    hint = f" Did you mean {_either(near)}?" if near else ""
    return ValueError(f"The {what} must {must}. Got {got!r}.{hint}")


def near_names(got: str, names: Iterable[str]) -> list[str]:
    """Return the names that someone who wrote `got` may have meant, the likeliest first."""
    wanted, by_key = got.lower(), {name.lower(): name for name in names}
    begun = [key for key in by_key if wanted and key.startswith(wanted)]
    similar = difflib.get_close_matches(wanted, by_key, n=MOST_SUGGESTED)
    holding = [key for key in by_key if len(wanted) > 2 and wanted in key]
    return [by_key[key] for key in dict.fromkeys([*begun, *similar, *holding])]


def _either(names: Sequence[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


def printable(text: str) -> str:
    r"""Return text with unprintable characters escaped, such as \x1b; line breaks stay.

    Text from a file, a server or a user must not control the terminal that shows it.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


LONGEST_REASON = 200


def in_one_line(error: object) -> str:
    """Return the message of an error as one printable line of bounded length."""
    return printable((" ".join(str(error).split()) or type(error).__name__)[:LONGEST_REASON])


def require_extra(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional library, or say in one sentence which extra installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or module.split(".")[0] != error.name.split(".")[0]:
            raise
        raise MissingExtraError(
            f"{purpose} needs {module.split('.')[0]}, which is not installed: "
            f"pip install 'hebbian-descent[{extra}]'"
        ) from error


def as_patterns(
    values: npt.ArrayLike, name: str, *, dtype: npt.DTypeLike | None = None, n_columns: int | None = None
) -> Array:
    """Return `values` as a finite floating array with one pattern per row; the input is never changed."""
    refuse_masked(values, name)
    array = np.asarray(values)
    if array.dtype == bool or np.issubdtype(array.dtype, np.integer):
        array = array.astype(np.float64 if dtype is None else dtype)
    if not np.issubdtype(array.dtype, np.floating):
        raise TypeError(f"The {name} must be real numbers. Got an array of {array.dtype}.")
    if array.ndim != 2:
        raise ValueError(
            f"The {name} must have one pattern per row, shape (n_patterns, n_units). Got shape {array.shape}."
            + (
                f" For one pattern, pass {name}[np.newaxis]; for patterns of one unit, {name}[:, np.newaxis]."
                if array.ndim == 1
                else ""
            )
        )
    if array.size == 0:
        raise ValueError(f"The {name} must hold at least one pattern of one unit. Got shape {array.shape}.")
    if n_columns is not None and array.shape[1] != n_columns:
        raise ValueError(f"The {name} must have {n_columns} columns. Got shape {array.shape}.")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"The {name} must be finite. Got {array[row, column]} in row {row}, column {column}. "
            "Remove or impute such values first."
        )
    return array if dtype is None else array.astype(dtype, copy=False)


def refuse_masked(values: object, name: str) -> None:
    """Raise if an array, or a row in a list, has a mask: its hidden values would count like the others."""
    if type(values) is np.ndarray:  # the common case
        return
    rows = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        raise TypeError(
            f"The {name} must be an array without a mask. Got a masked array: "
            "fill or remove what is masked first, for instance by .filled(0)."
        )


def as_number(
    value: object,
    name: str,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
) -> float:
    """Return `value` as a finite float within the stated bounds."""
    limits = [
        f"at least {at_least}" if at_least is not None else "",
        f"above {above}" if above is not None else "",
        f"at most {at_most}" if at_most is not None else "",
    ]
    must = " and ".join(limit for limit in limits if limit) or "finite"
    try:
        if isinstance(value, str | bytes):  # which float() would read, and arithmetic would not
            raise TypeError
        number = float(value)  # type: ignore[arg-type]  # whatever else float() takes is welcome
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"The {name} must be a number. Got {value!r}.") from None
    in_range = (
        -inf < number < inf
        and (at_least is None or number >= at_least)
        and (above is None or number > above)
        and (at_most is None or number <= at_most)
    )
    if not in_range:
        raise ValueError(f"The {name} must be {must}. Got {value!r}.")
    return number


def as_returned(values: object, *arguments: Array, by: str) -> Array:
    """Return what a custom function returned; it must be real numbers, of the shape of its arguments."""
    shape = np.broadcast_shapes(*(np.shape(argument) for argument in arguments))
    if isinstance(values, np.ndarray):
        if values.shape == shape and values.dtype.kind in "fiub":
            return values
        got = f"shape {values.shape} of {values.dtype}"
    else:
        got = type(values).__name__
    raise ValueError(
        f"The {by} must return an array of real numbers, of the shape of its arguments, {shape}. Got {got}."
    )


def as_flag(value: object, name: str) -> bool:
    """Return `value` as True or False; text such as "no" would count as True."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise ValueError(f"The {name} must be True or False. Got {value!r}.")
    return bool(value)


def as_count(value: object, name: str, *, at_least: int = 1) -> int:
    """Return `value` as a whole number, not below `at_least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"The {name} must be a whole number. Got {value!r}.")
    if value < at_least:
        raise ValueError(f"The {name} must be at least {at_least}. Got {value}.")
    return int(value)


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written."""
    if not array.flags.writeable and type(array) is np.ndarray:
        return array
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view
