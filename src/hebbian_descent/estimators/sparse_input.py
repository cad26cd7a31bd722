"""The entrance of sparse matrices: neither SciPy nor scikit-learn checks that their indices are in range.

Compiled code, SciPy's own included, would read and write whatever lies at an index that is not. So a matrix
is made anew from views of its parts, which are never changed, and checked before and after each conversion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

PARTS = {
    **dict.fromkeys(("csr", "csc", "bsr"), ("data", "indices", "indptr")),
    "coo": ("data", "coords"),
    "dia": ("data", "offsets"),
}
"""What the constructor of each format takes, and checks in part; the others are made of Python objects."""
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
    if matrix.format in PARTS:
        parts = tuple(getattr(matrix, part) for part in PARTS[matrix.format])
        matrix = type(matrix)(parts, shape=matrix.shape)
    if matrix.format == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
        raise ValueError("its rows do not fit its data")
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)
        if np.diff(matrix.indptr).min(initial=0) < 0:  # which is not checked if no value is left
            raise ValueError("the starts of its rows must not decrease")
    return matrix
