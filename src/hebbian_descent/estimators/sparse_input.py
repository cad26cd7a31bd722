"""The entrance of sparse matrices: neither SciPy nor scikit-learn checks that their indices are in range.

Compiled code, SciPy's own included, would read and write whatever lies at an index that is not. Checks and
conversions change attributes of a matrix, so they work on an object of our own; the arrays of the given one
are never changed.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

COMPRESSED = ("csr", "csc", "bsr")
PARTS = {"coo": ("data", "coords"), "dia": ("data", "offsets")}
"""What constructors take and check; compressed formats have a check, and the others consist of objects."""
MOST_COLUMNS = np.iinfo(np.int32).max


def checked_rows(matrix: Any, name: str) -> Any:
    """Return a matrix of compressed rows whose indices are all in range."""
    try:
        checked = _in_range(matrix)
        return checked if checked.format == "csr" else _in_range(checked.tocsr())
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        shape = getattr(matrix, "shape", None)
        raise ValueError(
            f"{name} must be a sparse matrix with all indices within its shape. Got {shape}: {error}."
        ) from None


def _in_range(matrix: Any) -> Any:
    if len(matrix.shape) != 2 or matrix.shape[1] > MOST_COLUMNS:
        raise ValueError(f"there must be two dimensions, and at most {MOST_COLUMNS} columns")
    if matrix.format in COMPRESSED:
        return _in_range_if_compressed(copy(matrix))
    if matrix.format in PARTS:
        parts = tuple(getattr(matrix, part) for part in PARTS[matrix.format])
        return type(matrix)(parts, shape=matrix.shape)
    if matrix.format == "lil" and not _has_whole_lists(matrix):
        raise ValueError("its rows must fit its shape and its data")
    return matrix


def _has_whole_lists(matrix: Any) -> bool:
    fits = [*map(len, matrix.rows)] == [*map(len, matrix.data)]
    return fits and len(matrix.rows) == matrix.shape[0]


def _in_range_if_compressed(matrix: Any) -> Any:
    if matrix.indices.dtype.kind not in "iu" or matrix.indptr.dtype.kind not in "iu":
        raise ValueError("its indices must be whole numbers")
    matrix.check_format(full_check=True)
    starts = matrix.indptr
    if (starts[1:] < starts[:-1]).any():  # which is not checked if no value is left
        raise ValueError("the starts of its rows must not decrease")
    return matrix
