"""Products with whole inputs: at the rate of a BLAS, and with every column summed in the same order.

The order is that of the inputs, or of the patterns, whichever columns stand beside one another. So runs that
are stacked have the bits that they have alone, which a BLAS does not promise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.kernels.compilation import inlined, kept_on_disk
from hebbian_descent.kernels.panel_product import BLOCK_ROWS, add_product

SQUARE = 16  # numbers that are turned at a time: a line of the cache in each direction


class WholePatterns(NamedTuple):
    """Centered patterns, and their negative transpose where they are learned."""

    centered: Array
    """x − μ, (n, n_inputs)."""
    turned: Array
    """(μ − x)ᵀ, (n_inputs, n), or nothing, (0, n), for patterns that are only evaluated."""


def whole_patterns(
    patterns: Array, rows: npt.NDArray[np.intp], offset: Array, *, learns: bool
) -> WholePatterns:
    """Return the patterns at some rows."""
    n, n_inputs = len(rows), patterns.shape[1]
    found = WholePatterns(
        centered=np.empty((n, n_inputs), patterns.dtype),
        turned=np.empty((n_inputs if learns else 0, n), patterns.dtype),
    )
    _center_and_turn(patterns, rows, offset, found.centered, found.turned)
    return found


@kept_on_disk
def _center_and_turn(patterns: Any, rows: Any, offset: Any, centered: Any, turned: Any) -> None:
    for i in range(len(rows)):
        x, difference = patterns[rows[i]], centered[i]
        for k in range(x.size):
            difference[k] = x[k] - offset[k]
    square = np.empty((SQUARE, SQUARE), centered.dtype)
    for column in range(0, len(turned), SQUARE):
        for row in range(0, len(centered), SQUARE):
            found = centered[row : row + SQUARE, column : column + SQUARE]
            place = turned[column : column + SQUARE, row : row + SQUARE]
            if found.size == square.size:  # loops of known length, which become vector instructions
                _turn(found, SQUARE, SQUARE, square, place)
            else:
                _turn(found, found.shape[0], found.shape[1], square, place)


@inlined
def _turn(numbers: Any, n_rows: int, n_columns: int, square: Any, turned: Any) -> None:
    for i in range(n_rows):
        for k in range(n_columns):
            square[k, i] = -numbers[i, k]
    for k in range(n_columns):
        for i in range(n_rows):
            turned[k, i] = square[k, i]


@kept_on_disk
def set_product(out: Any, factors: Any, terms: Any) -> None:
    """Set out = factors @ terms, whose columns are whole panels."""
    out[:] = 0
    for block in range(0, len(out), BLOCK_ROWS):
        rows = out[block : block + BLOCK_ROWS]
        add_product(rows, rows, factors[block : block + BLOCK_ROWS], terms)


@kept_on_disk
def keep_and_add_product(weights: Any, keep: Any, factors: Any, terms: Any) -> None:
    """Set W ← keep·W + factors @ terms, whose columns are whole panels."""
    for block in range(0, len(weights), BLOCK_ROWS):
        rows = weights[block : block + BLOCK_ROWS]
        if keep != 1:
            rows *= keep
        add_product(rows, rows, factors[block : block + BLOCK_ROWS], terms)
