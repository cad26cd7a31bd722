"""JSON from untrusted sources: standard JSON only, each key once, of bounded depth and size."""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 200
"""Nested lists and objects; how deep a parser can go depends on the version of Python."""


def strict_json(
    text: bytes | str,
    *,
    deepest: int = DEEPEST,
    most_values: float = math.inf,
    integer_bound: int | None = None,
    allow_nan: bool = False,
) -> Any:
    """Parse JSON in UTF-8, or raise a `ValueError` that says what is wrong with it.

    `most_values` bounds the numbers, lists and objects on one level, `integer_bound` whole numbers.
    Python's extensions NaN and Infinity, and numbers too large for a float, are refused unless `allow_nan`.
    """
    try:
        found = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_with_unique_keys,
            parse_constant=float if allow_nan else _refuse_constant,
            parse_int=int if integer_bound is None else lambda digits: _bounded(digits, integer_bound),
        )
    except RecursionError:
        raise ValueError(f"it is nested more than {deepest} levels deep") from None
    level = [found]
    for _ in range(deepest):
        level = [value for value in level if not isinstance(value, str)]
        if len(level) > most_values:
            raise ValueError(f"it has more than {most_values} numbers and lists")
        if not allow_nan and any(isinstance(value, float) and not math.isfinite(value) for value in level):
            raise ValueError("a number is too large")
        level = [part for value in level for part in _parts(value)]
    if level:
        raise ValueError(f"it is nested more than {deepest} levels deep")
    return found


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key appears twice")
    return found


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def _bounded(digits: str, bound: int) -> int:
    # The length first: Python is very slow with long numbers, unless its own limit is in force.
    number = int(digits) if len(digits) <= len(str(bound)) + 1 else bound
    if not -bound < number < bound:
        raise ValueError(f"{digits[:30]} is too large")
    return number
