"""The plain values of a specification as columns of its cell, so that a table can be filtered by them.

Readers take the types of a whole folder from its first file. Numbers are therefore always floating (a decay
of 0 in one cell and 0.1 in the next must not become whole numbers), and a None is a number that is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from hebbian_descent.storage.results.canonical_types import Json
from hebbian_descent.storage.results.values import restore

Label: TypeAlias = "bool | float | str | None"

EXACT_IN_FLOAT = 2**53


def labels(specification: Json) -> Iterator[tuple[str, Label]]:
    """Yield a column name and value for each part of a canonical form that fits in a table cell.

    Parts of nested mappings get both names, `data_name`. A function or class gives its name, an instance its
    attribute `name`; lists and arrays have no column.
    """
    return _labels(specification, ())


def _labels(form: Json, path: tuple[str, ...]) -> Iterator[tuple[str, Label]]:
    name = "_".join(path)
    if isinstance(form, dict):
        tag, content = next(iter(form.items()), ("", None))
        if not tag.startswith("$"):
            for key, part in form.items():
                yield from _labels(part, (*path, key))
        elif tag in ("$float", "$scalar"):
            yield from _labels(_python_value(form), path)
        elif (word := _name_in(content)) is not None:
            yield name, word
    elif isinstance(form, int | float) and not isinstance(form, bool):
        yield name, float(form) if abs(form) <= EXACT_IN_FLOAT or isinstance(form, float) else str(form)
    elif not isinstance(form, list):
        yield name, form


def _python_value(form: Json) -> Json:
    value = restore(form)
    return value.item() if hasattr(value, "item") else value  # type: ignore[no-any-return]


def _name_in(content: Json) -> str | None:
    if not isinstance(content, dict):
        return None
    state = content.get("state")
    candidates = (content.get("name"), state.get("name") if isinstance(state, dict) else None)
    return next((name for name in candidates if isinstance(name, str)), None)
