"""A matrix product whose sums stay in registers: a few rows by one 64-byte panel of columns at a time.

Written as LLVM vectors, because a loop over arrays that might overlap is not kept in registers. On one core
it runs at the rate of a BLAS product, needs no packing and no threads of its own, and every column is summed
in the same order wherever it stands, which a BLAS does not promise.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted, inlined
from hebbian_descent.kernels.panels import Panels, lanes_of_panel

BLOCK_ROWS = 6  # 12 sums of 32 bytes, 2 of the terms and one coefficient fill the 16 registers of AVX2


def _panel_of_rows(n_rows: int) -> Any:
    """Return a compiled function for blocks of `n_rows` rows."""

    @emitted
    def panel(
        typing_context: Any, out: Any, start: Any, coefficients: Any, terms: Any, n_terms: Any, column: Any
    ) -> Any:
        return types.void(out, start, coefficients, terms, n_terms, column), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        panels = Panels(context, builder, signature.args[0].dtype)
        out, start, coefficients, terms = map(panels.array, signature.args[:4], values[:4])
        n_terms, column = values[4:]
        rows = [panels.index(row) for row in range(n_rows)]
        sums = [cgutils.alloca_once(builder, panels.kind) for _ in rows]  # become registers
        for row, total in zip(rows, sums, strict=True):
            builder.store(panels.load(start, row, column), total)
        factors = [panels.address(coefficients, row, panels.index(0)) for row in rows]
        with cgutils.for_range(builder, n_terms, intp=n_terms.type) as loop:
            term = panels.load(terms, loop.index, column)
            for factor, total in zip(factors, sums, strict=True):
                coefficient = panels.in_all_lanes(builder.load(builder.gep(factor, [loop.index])))
                builder.store(panels.fused_multiply_add(coefficient, term, builder.load(total)), total)
        for row, total in zip(rows, sums, strict=True):
            panels.store(builder.load(total), out, row, column)
        return context.get_dummy_value()

    return panel


_one, _two, _three, _four, _five, _six = (_panel_of_rows(n) for n in range(1, BLOCK_ROWS + 1))


@inlined
def add_product(out: Any, start: Any, coefficients: Any, terms: Any) -> None:
    """Set out = start + coefficients @ terms, for 1 to 6 rows; `out` may be `start`.

    The columns of `out`, `start` and `terms` are whole panels, and neighbours in memory.
    """
    n_rows, n_terms = len(out), len(terms)
    for column in range(0, out.shape[1], lanes_of_panel(out)):
        if n_rows == 6:
            _six(out, start, coefficients, terms, n_terms, column)
        elif n_rows == 5:
            _five(out, start, coefficients, terms, n_terms, column)
        elif n_rows == 4:
            _four(out, start, coefficients, terms, n_terms, column)
        elif n_rows == 3:
            _three(out, start, coefficients, terms, n_terms, column)
        elif n_rows == 2:
            _two(out, start, coefficients, terms, n_terms, column)
        else:
            _one(out, start, coefficients, terms, n_terms, column)


@inlined
def add_to_row(row: Any, coefficients: Any, terms: Any) -> None:
    """Add coefficients·terms to a row of whole panels."""
    only_row, only_coefficients = row.reshape((1, row.size)), coefficients.reshape((1, coefficients.size))
    if len(terms):
        for column in range(0, row.size, lanes_of_panel(row)):
            _one(only_row, only_row, only_coefficients, terms, len(terms), column)
