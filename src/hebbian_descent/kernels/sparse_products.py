"""Products with inputs that are mostly zero, of which only the rest is stored.

Centering does not fill them up: with μ the offset, (X − 1μ)W = XW − 1(μW) and (X − 1μ)ᵀP = XᵀP − μᵀ(1ᵀP).
Both products go panel by panel of columns, and of a panel through as many rows at a time as the first cache
holds, so that each row that is read again is read from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.compilation import inlined, kept_on_disk
from hebbian_descent.kernels.sparse_panel import LEAST_BYTES, PANEL_BYTES, add_rows


@kept_on_disk
def set_centered_product(activities: Any, batch: Any, offset: Any, weights: Any) -> None:
    """Set activities = (X − 1μ)W with X `ByPattern`; columns are at least 64 bytes."""
    n_inputs, n_columns = weights.shape
    every_input, of_offset = np.arange(n_inputs).astype(np.uint32), np.empty((1, n_columns), weights.dtype)
    fill_centered_product(activities, of_offset, batch, every_input, offset, weights)


@inlined
def fill_centered_product(
    activities: Any, of_offset: Any, batch: Any, every_input: Any, offset: Any, weights: Any
) -> None:
    """Do the same with room for μW, for the inputs from the first edge to the last."""
    edges, all_begins, all_ends, inputs, values = batch
    n_columns, one = weights.shape[1], weights.dtype.type(1)
    least = LEAST_BYTES // weights.itemsize
    widest = min(PANEL_BYTES // weights.itemsize, n_columns // least * least)
    column, width = 0, 0
    while column + width < n_columns:
        # The last panel may have to take some columns again to be wide enough; they become what they were.
        start = column + width
        width = min(widest, (n_columns - start + least - 1) // least * least)
        column = min(start, n_columns - width)
        activities[:, column : column + width] = 0
        of_offset[0, column : column + width] = 0
        for block in range(len(edges) - 1):
            begins, ends = all_begins[block], all_ends[block]
            add_rows(activities, column, width, one, weights, column, inputs, values, begins, ends)
            # Here every row is read, and one that holds infinity is seen even if its input is always zero.
            begins, ends = edges[block : block + 1], edges[block + 1 : block + 2]
            add_rows(of_offset, column, width, one, weights, column, every_input, offset, begins, ends)
        for i in range(len(activities)):
            for k in range(column, column + width):
                activities[i, k] -= of_offset[0, k]


@kept_on_disk
def subtract_centered_product(weights: Any, keep: Any, batch: Any, post: Any) -> None:
    """Set W ← keep·W − (X − 1μ)ᵀpost with X `ByInput`; columns are a multiple of 64 bytes."""
    n_columns = weights.shape[1]
    parts, bounds = batch.parts, batch.bounds
    terms = np.empty((parts[1] - parts[0] + 1, PANEL_BYTES // weights.itemsize), weights.dtype)
    for part in range(len(parts) - 1):
        begins, ends = bounds[part, :-1], bounds[part, 1:]
        for column in range(0, n_columns, PANEL_BYTES // weights.itemsize):
            width = min(PANEL_BYTES // weights.itemsize, n_columns - column)
            gather_terms(post, parts[part], parts[part + 1], column, width, terms)
            add_rows(weights, column, width, keep, terms, 0, batch.patterns, batch.factors, begins, ends)
        keep = weights.dtype.type(1)


@inlined
def gather_terms(post: Any, start: int, stop: int, column: int, width: int, terms: Any) -> None:
    """Copy a panel of some rows, and their sum into the row after them."""
    total = terms[stop - start]
    total[:] = 0
    for i in range(start, stop):
        for k in range(width):
            term = post[i, column + k]
            terms[i - start, k] = term
            total[k] += term
