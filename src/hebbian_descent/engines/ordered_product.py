"""Matrix products that sum every column in the order of the terms, on any processor and beside any others.

A BLAS does neither promise that a column has the same bits alone and among others nor that two processors
agree. Without the compiled core NumPy's product serves.
"""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned
from hebbian_descent.checks import Array
from hebbian_descent.engines.tiling import VECTOR_BYTES, calls, row_length
from hebbian_descent.native import core


def in_vectors(columns: Array, dtype: npt.DTypeLike, beyond: float = 0.0) -> Array:
    """Return a copy whose rows are filled up to whole vectors with one value."""
    n_rows, n_columns = columns.shape
    filled = aligned((n_rows, row_length(n_columns, np.dtype(dtype).itemsize)), dtype)
    filled[:, :n_columns] = columns
    filled[:, n_columns:] = beyond
    return filled


def whole_vectors(columns: Array) -> Array:
    """Return columns of a matrix themselves if they are whole vectors, else a copy filled up with zeros."""
    is_whole = (
        columns.shape[1] * columns.itemsize % VECTOR_BYTES == 0 and columns.strides[1] == columns.itemsize
    )
    return columns if is_whole else in_vectors(columns, columns.dtype)


def product(coefficients: Array, terms: Array, pool: Executor | None = None) -> Array:
    """Return coefficients @ terms, both in whole vectors; a pool shares the rows out."""
    if (compiled := core()) is None:
        return coefficients @ terms
    out = aligned((len(coefficients), row_length(terms.shape[1], terms.itemsize)), terms.dtype)
    out[:] = 0

    def add(rows: slice) -> None:
        compiled.add_product(out[rows], out[rows], 1.0, coefficients[rows], terms)

    list((map if pool is None else pool.map)(add, calls(len(out), terms.size)))
    return out
