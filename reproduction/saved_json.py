"""Small JSON files in a folder of results, validated on reading: anyone may have written them."""

from __future__ import annotations

import json
import math
import reprlib
import warnings
from pathlib import Path
from typing import Any

from hebbian_descent.safe_files import open_regular
from hebbian_descent.storage.strict_json import strict_json

LARGEST_FILE = 16 * 2**20
LONGEST_TEXT = 10_000
LARGEST_NUMBER = 1e100
"""Far beyond any result, and its square is still finite."""


class DamagedFileWarning(UserWarning):
    """A file is ignored because it is not what the package wrote."""


def warn_of_damage(path: Path, reason: Exception, remedy: str) -> None:
    """Warn that a file counts as missing, and why."""
    sentence = f"A file of results must be what was written. Got {path}: {reason}. It counts as missing"
    warnings.warn(f"{sentence}: {remedy}.", DamagedFileWarning, stacklevel=2)


def as_file(content: Any) -> bytes:
    """Return the bytes of a small JSON file that people may read, too."""
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def read_json(path: Path) -> Any:
    """Return the content of a small JSON file with unique keys, or raise a ValueError."""
    with open_regular(path) as file:
        text = file.read(LARGEST_FILE + 1)
    if len(text) > LARGEST_FILE:
        raise ValueError(f"it must have at most {LARGEST_FILE} bytes")
    return strict_json(text, allow_nan=True)


def as_object(value: Any, what: str) -> dict[str, Any]:
    """Return an object with names of bounded length."""
    if not isinstance(value, dict):
        raise _wrong(what, "an object", value)
    for name in value:
        as_text(name, f"a name in {what}")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise _wrong(what, "a list", value)
    return value


def as_text(value: Any, what: str) -> str:
    """Return text of bounded length."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise _wrong(what, f"text of at most {LONGEST_TEXT} characters", value)
    return value


def as_float(value: Any, what: str, *, at_least: float = -LARGEST_NUMBER, may_be_nan: bool = False) -> float:
    """Return a number; NaN only if allowed."""
    if type(value) not in (int, float):
        raise _wrong(what, "a number", value)
    is_nan = isinstance(value, float) and math.isnan(value)
    if not (may_be_nan if is_nan else at_least <= value <= LARGEST_NUMBER):
        raise _wrong(what, f"between {at_least:g} and {LARGEST_NUMBER:g}", value)
    return float(value)


def as_whole(value: Any, what: str, *, at_least: int) -> int:
    """Return a whole number below 2³¹."""
    if type(value) is not int or not at_least <= value < 2**31:
        raise _wrong(what, f"a whole number of at least {at_least}", value)
    return value


def _wrong(what: str, must: str, value: Any) -> ValueError:
    return ValueError(f"{what} must be {must}, but is {reprlib.repr(value)}")
