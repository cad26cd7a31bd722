"""A sum of few rows of a matrix, kept in registers: one panel of columns of Σₑ factorₑ · row(placeₑ).

It is the inner loop of a product with a matrix that is mostly zero, of which only places and values of the
rest are stored. Every column is summed in the same order wherever it stands and whatever stands beside it.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted, inlined
from hebbian_descent.kernels.panels import Panels

VECTOR_BYTES = 32
LEAST_BYTES = 64
PANEL_BYTES = 256  # 8 sums and a factor; with more, too few rows of a panel would fit into the first cache


def _panel_of_vectors(n_vectors: int) -> Any:
    """Return a compiled function for panels of `n_vectors` vectors."""

    @emitted
    def panel(
        typing_context: Any,
        out: Any,
        row: Any,
        column: Any,
        keep: Any,
        terms: Any,
        term_column: Any,
        places: Any,
        factors: Any,
        begin: Any,
        end: Any,
    ) -> Any:
        arguments = (out, row, column, keep, terms, term_column, places, factors, begin, end)
        return types.void(*arguments), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        vectors = Panels(context, builder, signature.args[0].dtype, VECTOR_BYTES)
        out, terms, places, factors = (vectors.array(signature.args[k], values[k]) for k in (0, 4, 6, 7))
        row, column, keep, term_column, begin, end = (values[k] for k in (1, 2, 3, 5, 8, 9))

        def columns_from(first: Any) -> list[Any]:
            return [builder.add(first, vectors.index(k * vectors.n_lanes)) for k in range(n_vectors)]

        sums = [cgutils.alloca_once(builder, vectors.kind) for _ in range(n_vectors)]  # become registers
        kept = vectors.in_all_lanes(keep)
        for place, total in zip(columns_from(column), sums, strict=True):
            builder.store(builder.fmul(kept, vectors.load(out, row, place)), total)
        with cgutils.for_range_slice(builder, begin, end, vectors.index(1), begin.type) as (entry, _):
            term_row = builder.zext(builder.load(vectors.address(places, entry)), begin.type)
            factor = vectors.in_all_lanes(builder.load(vectors.address(factors, entry)))
            for place, total in zip(columns_from(term_column), sums, strict=True):
                term = vectors.load(terms, term_row, place)
                builder.store(vectors.fused_multiply_add(factor, term, builder.load(total)), total)
        for place, total in zip(columns_from(column), sums, strict=True):
            vectors.store(builder.load(total), out, row, place)
        return context.get_dummy_value()

    return panel


def _rows_of_vectors(n_vectors: int) -> Any:
    """Return the same for all rows, in one function, since a call for each would take as long as the sum."""
    panel = _panel_of_vectors(n_vectors)

    @inlined
    def rows(
        out: Any,
        column: int,
        keep: Any,
        terms: Any,
        term_column: int,
        places: Any,
        factors: Any,
        begins: Any,
        ends: Any,
    ) -> None:
        for row in range(len(begins)):
            panel(out, row, column, keep, terms, term_column, places, factors, begins[row], ends[row])

    return rows


_two, _four, _six, _eight = (_rows_of_vectors(n) for n in (2, 4, 6, 8))


@inlined
def add_rows(
    out: Any,
    column: int,
    width: int,
    keep: Any,
    terms: Any,
    term_column: int,
    places: Any,
    factors: Any,
    begins: Any,
    ends: Any,
) -> None:
    """Set a panel of `out` to keep·out + Σₑ factors[e]·terms[places[e]], e from begins[row] to ends[row].

    The panel is 64, 128, 192 or 256 bytes wide; `places` are uint32, `factors` of the dtype of the matrices.
    """
    n_bytes = width * out.itemsize
    if n_bytes == 256:
        _eight(out, column, keep, terms, term_column, places, factors, begins, ends)
    elif n_bytes == 192:
        _six(out, column, keep, terms, term_column, places, factors, begins, ends)
    elif n_bytes == 128:
        _four(out, column, keep, terms, term_column, places, factors, begins, ends)
    else:
        _two(out, column, keep, terms, term_column, places, factors, begins, ends)
