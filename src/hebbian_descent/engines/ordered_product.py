"""Matrix products that sum every column in the order of the terms, on any processor and beside any others.

A BLAS does neither promise that a column has the same bits alone and among others nor that two processors
agree. Without the compiled core NumPy's product serves.
"""

from __future__ import annotations

from concurrent.futures import Executor

from hebbian_descent.aligned import aligned
from hebbian_descent.checks import Array
from hebbian_descent.engines.tiling import calls
from hebbian_descent.engines.vectors import row_length
from hebbian_descent.native import core


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
