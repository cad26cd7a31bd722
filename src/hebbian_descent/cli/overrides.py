"""Settings given as text, as `--set trials=50`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any


def parsed_overrides(changes: Sequence[str]) -> dict[str, Any]:
    """Return names and values; a value is a number, a word, or several with commas between."""
    overrides = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not name.strip() or not text.strip():
            raise ValueError(f"--set must be name=value, as trials=50. Got {change!r}.")
        overrides[name.strip()] = _value(text.strip())
    return overrides


def _value(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError):  # all that literal_eval raises
        if "," in text:
            return tuple(_value(word.strip()) for word in text.split(",") if word.strip())
        return text
    return tuple(value) if isinstance(value, list) else value
