"""The columns of a cell: one row for each combination of axis labels, written and read back.

An array over fewer axes than the record has repeats its values along the others, and so do the key, the
seconds and the plain values of the specification, by which a table can be filtered. Compressed, repeated
values cost next to nothing.

Readers take the types of a whole folder from its first file. The numbers of a specification are therefore
always floats (a decay of 0 in one cell and 0.1 in the next must not become integers), and None is a missing
number.

A file may come from a stranger. Its description is checked against its table and against the memory of this
machine before any column is read: a few bytes of a compressed table can stand for any number of rows.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

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
    return require_extra("pyarrow", extra="results", purpose="A store of results")


def check_memory(n_bytes: int) -> None:
    """Refuse to use more bytes than this machine has, if the system reports its memory."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows, and systems that do not report it
        return
    if n_bytes > size:
        raise ValueError(f"{n_bytes} bytes are needed, but this machine has {size}")


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
    """Return Arrow tables concatenated by rows; a column of both texts and numbers becomes text."""
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

    Parts of nested mappings get both names, `data_name`. A function or class is given by its name, an
    instance by its attribute `name`; lists and arrays have no column.
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


DTYPES = re.compile(r"[<>|](b1|[iu][1248]|f[48]|U[0-9]{1,9})")
COPIES = 4  # a column, its array, and what sorting and hashing need

Arrays = dict[str, npt.NDArray[Any]]


class Described(NamedTuple):
    """An axis or an array before it is read."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


def describe(arrays: Mapping[str, npt.NDArray[Any]]) -> Json:
    """Return the name, data type and shape of each array."""
    return [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]


def read_arrays(file: Any, axes: Any, values: Any) -> tuple[Arrays, Arrays]:
    """Return the described axes and arrays of a Parquet file, or raise an error that says what is wrong."""
    axes, values = ([_described(*description) for description in part] for part in (axes, values))
    shape = tuple(length for _, _, (length,) in axes)
    _check_shapes(file, shape, values)
    _check_types(file, [*axes, *values])
    check_memory(COPIES * math.prod(shape) * sum(each.dtype.itemsize for each in (*axes, *values)))
    table = file.read(columns=[each.name for each in (*axes, *values)], use_threads=False)
    columns = {each.name: _array(table[each.name], each.dtype) for each in (*axes, *values)}
    labels = {
        axis.name: columns[axis.name].reshape(shape)[
            tuple(slice(None) if other is axis else 0 for other in axes)
        ]
        for axis in axes
    }
    # Along the axes that an array does not have, its values repeat.
    return labels, {each.name: columns[each.name].reshape(*each.shape, -1)[..., 0] for each in values}


def _described(name: str, dtype: str, shape: list[int]) -> Described:
    if not (isinstance(name, str) and DTYPES.fullmatch(dtype)):
        raise ValueError(f"an array {name!r} of {dtype!r} cannot be stored")
    return Described(name, np.dtype(dtype), tuple(shape))


def _check_shapes(file: Any, shape: tuple[int, ...], values: list[Described]) -> None:
    if any(type(length) is not int or length < 1 for length in shape):
        raise ValueError(f"axes cannot have the lengths {shape}")
    for each in values:
        if each.shape != shape[: len(each.shape)]:
            raise ValueError(f"the shape of {each.name!r}, {each.shape}, is not that of the first axes")
    if math.prod(shape) != file.metadata.num_rows:
        raise ValueError(f"axes of the lengths {shape} cannot have {file.metadata.num_rows} rows")


def _check_types(file: Any, described: list[Described]) -> None:
    types = {field.name: field.type for field in file.schema_arrow}
    for name, dtype, _ in described:
        if types.get(name) != _arrow_type(dtype):
            raise ValueError(f"the column {name!r} should be of {dtype}, but is of {types.get(name)}")


def _arrow_type(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "U":
        return arrow().dictionary(arrow().int32(), arrow().string())
    return arrow().from_numpy_dtype(dtype.newbyteorder("="))


def _array(column: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if column.null_count:
        raise ValueError("a column has empty entries")
    if dtype.kind != "U":
        return np.array(column.to_numpy(), dtype=dtype)
    texts = column.combine_chunks()
    words = np.array(texts.dictionary.to_pylist(), dtype=dtype)
    return np.asarray(words[texts.indices.to_numpy()])
