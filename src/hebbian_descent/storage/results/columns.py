"""The columns of a cell: one row for each combination of axis labels.

An array over fewer axes than the record has repeats its values along the others, and so do the key, the
seconds and the plain values of the specification, by which a table can be filtered. Compressed, a
repetition costs next to nothing.

Readers take the types of a whole folder from its first file. The numbers of a specification are therefore
always floating (a decay of 0 in one cell and 0.1 in the next must not become whole numbers), and None is a
missing number.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import require_extra
from hebbian_descent.storage.results.record import Record
from hebbian_descent.storage.results.values import Json, restore

Label: TypeAlias = "bool | float | str | None"

EXACT_IN_FLOAT = 2**53
KEY_COLUMN, SECONDS_COLUMN = "cell_key", "cell_seconds"


def arrow() -> Any:
    """Return pyarrow, which only stores need."""
    return require_extra("pyarrow", extra="paper", purpose="A store of results")


def check_memory(n_bytes: int) -> None:
    """Refuse to use more bytes than this machine has, where the system says how many that is."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows, and systems that do not say
        return
    if n_bytes > size:
        raise ValueError(f"{n_bytes} bytes are needed, and this machine has {size}")


def to_columns(record: Record, key: str, specification: Json) -> dict[str, Any]:
    """Return the Arrow columns of a record: key, labels of the specification, axes, arrays, seconds."""
    n_rows = int(np.prod(record.shape))
    plain = list(_labels(specification))
    check_memory(n_rows * len(plain) * np.dtype(np.float64).itemsize)
    columns = [
        (KEY_COLUMN, _constant(key, n_rows)),
        *((name, _constant(value, n_rows)) for name, value in plain),
        *((name, _column(array)) for name, array in zip(record.axes, _grid(record), strict=True)),
        *((name, _column(_repeated(array, record.shape))) for name, array in record.values.items()),
        (SECONDS_COLUMN, _constant(record.seconds, n_rows)),
    ]
    names = [name for name, _ in columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            "The plain values of a specification, the axes and the arrays must have different names. "
            f"Got {twice!r} twice; rename one of them."
        )
    return dict(columns)


def joined(tables: list[Any]) -> Any:
    """Return Arrow tables one below the other; a column of texts and numbers becomes one of texts."""
    types: dict[str, set[Any]] = {}
    for field in (field for table in tables for field in table.schema):
        types.setdefault(field.name, set()).add(field.type)
    mixed = {name for name, found in types.items() if not _have_common_type(found)}
    schemas = [
        arrow().schema([f.with_type(arrow().string()) if f.name in mixed else f for f in table.schema])
        for table in tables
    ]
    alike = [table.cast(schema) for table, schema in zip(tables, schemas, strict=True)]
    return arrow().concat_tables(alike, promote_options="permissive")


def _have_common_type(types: set[Any]) -> bool:
    schemas = [arrow().schema({"column": each}) for each in types]
    try:
        arrow().unify_schemas(schemas, promote_options="permissive")
    except (arrow().ArrowTypeError, arrow().ArrowInvalid):
        return False
    return True


def _grid(record: Record) -> list[npt.NDArray[Any]]:
    return list(np.meshgrid(*record.axes.values(), indexing="ij", copy=False))


def _repeated(array: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return np.broadcast_to(array.reshape(array.shape + (1,) * (len(shape) - array.ndim)), shape)


def _constant(value: Label, n_rows: int) -> Any:
    if isinstance(value, str):
        return arrow().DictionaryArray.from_arrays(np.zeros(n_rows, np.int32), arrow().array([value]))
    if value is None:
        return arrow().nulls(n_rows, arrow().float64())
    return arrow().array(np.full(n_rows, value))


def _column(array: npt.NDArray[Any]) -> Any:
    column = arrow().array(array.ravel())
    return column.dictionary_encode() if array.dtype.kind == "U" else column


def _labels(form: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Label]]:
    """Yield a column name and value for each plain value in a canonical form.

    Parts of nested mappings get both names, `data_name`. A function or class gives its name, an instance its
    attribute `name`; lists and arrays have no column.
    """
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
