"""The columns of a cell: one row for each combination of axis labels.

An array over fewer axes than there are repeats its values along the others, and so do the key, the seconds
and the labels of the specification; compressed, a repetition costs next to nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import require_extra
from hebbian_descent.results.forms import Json
from hebbian_descent.results.labels import Label, labels
from hebbian_descent.results.record import Record

KEY_COLUMN, SECONDS_COLUMN = "cell_key", "cell_seconds"


def arrow() -> Any:
    """Return pyarrow, which only stores need."""
    return require_extra("pyarrow", extra="paper", purpose="A store of results")


def to_columns(record: Record, key: str, specification: Json) -> dict[str, Any]:
    """Return the Arrow columns of a record: key, labels of the specification, axes, arrays, seconds."""
    n_rows = int(np.prod(record.shape))
    columns = [
        (KEY_COLUMN, _constant(key, n_rows)),
        *((name, _constant(value, n_rows)) for name, value in labels(specification)),
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


def axis_labels(table: Any, name: str, dtype: str, position: int, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the labels of the axis at a position, each once."""
    everywhere = _as_array(table[name], dtype).reshape(shape)
    return everywhere[tuple(slice(None) if axis == position else 0 for axis in range(len(shape)))]


def array_values(table: Any, name: str, dtype: str, n_axes: int, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the array over the first `n_axes` axes, without its repetitions along the others."""
    repeated = _as_array(table[name], dtype).reshape(*shape[:n_axes], -1)
    return np.asarray(repeated[..., 0])


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


def _as_array(column: Any, dtype: str) -> npt.NDArray[Any]:
    return np.array(column.to_pylist() if np.dtype(dtype).kind == "U" else column.to_numpy(), dtype=dtype)
