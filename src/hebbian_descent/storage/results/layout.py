"""The axes and arrays of a cell, as its file describes them and as its table holds them.

A file may come from a stranger. Its description is checked against its table and against the memory of this
machine before any column is read: a few bytes of a compressed table can stand for any number of rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.storage.results.columns import arrow, check_memory
from hebbian_descent.storage.results.values import Json

DTYPES = re.compile(r"[<>|](b1|[iu][1248]|f[48]|U[0-9]{1,9})")
COPIES = 4  # a column, the array made of it, and what sorting and hashing take

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
    """Return the described axes and arrays of a Parquet file, or raise what is wrong with them."""
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
        raise ValueError(f"axes of the lengths {shape} need other than {file.metadata.num_rows} rows")


def _check_types(file: Any, described: list[Described]) -> None:
    types = {field.name: field.type for field in file.schema_arrow}
    for name, dtype, _ in described:
        if types.get(name) != _arrow_type(dtype):
            raise ValueError(f"the column {name!r} should be of {dtype}, and is of {types.get(name)}")


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
