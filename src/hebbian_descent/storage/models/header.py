"""The header of a safetensors file, read with distrust: eight bytes of length, then JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from hebbian_descent.storage.models.errors import ModelFileError

PREFIX = 8
LARGEST_HEADER = 2 * 2**20
"""In bytes: room for the names of some eighty thousand features or classes."""
MOST_VALUES = 10_000
"""Numbers, lists and objects on one level of a header; a model has some dozens, and many words."""
DEEPEST = 20
KEY = "hebbian_descent"
LARGEST_INTEGER = 2**63


def header_length(prefix: bytes, file_size: int) -> int:
    """Return how many bytes the header takes, from the first eight bytes of a file of known size."""
    if len(prefix) < PREFIX:
        raise ModelFileError(f"A model file must have at least {PREFIX} bytes. Got {len(prefix)}.")
    length = int.from_bytes(prefix[:PREFIX], "little")
    if length > LARGEST_HEADER:
        raise ModelFileError(
            f"The header of a model file must have at most {LARGEST_HEADER} bytes. Its first bytes announce "
            f"{length}: this is no model file, or it is damaged."
        )
    if PREFIX + length > file_size:
        raise ModelFileError(
            f"A model file must be whole. Got {file_size} bytes, less than the header alone: it was cut off."
        )
    return length


def parse_header(text: bytes) -> dict[str, Any]:
    """Return the JSON object of a header."""
    header = strict_json(text)
    if not isinstance(header, dict):
        raise ModelFileError("The header of a model file must be a JSON object. Got something else.")
    return header


def strict_json(text: bytes | str) -> Any:
    """Parse JSON in UTF-8 without what Python adds to it, and without what would take long."""
    try:
        found = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_unique,
            parse_constant=_refuse,
            parse_int=_whole,
        )
        _require_modest(found)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"The header of a model file must be JSON. Got other bytes: {error}.") from None
    return found


def _require_modest(found: Any) -> None:
    """Refuse infinite numbers, and more or deeper values than the header of any model has."""
    level = [found]
    for _ in range(DEEPEST):
        level = [value for value in level if not isinstance(value, str)]
        if len(level) > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES} numbers and lists")
        for value in level:
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError("a number is too large")
        level = [
            part
            for value in level
            if isinstance(value, dict | list)
            for part in (value.values() if isinstance(value, dict) else value)
        ]
    if level:
        raise ValueError(f"more than {DEEPEST} lists within each other")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _whole(text: str) -> int:
    # The length first: Python takes very long for long numbers, unless its own limit is in force.
    number = int(text) if len(text) <= 20 else LARGEST_INTEGER
    if not -LARGEST_INTEGER < number < LARGEST_INTEGER:
        raise ValueError(f"{text[:30]} is too large")
    return number
