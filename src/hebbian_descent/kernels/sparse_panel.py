"""A sum of few rows of a matrix, kept in registers: one panel of columns of Σₑ factorₑ · row(placeₑ).

It is the inner loop of a product with a matrix that is mostly zero, of which only places and values of the
rest are stored. Every column is summed in the same order wherever it stands and whatever stands beside it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted, inlined

VECTOR_BYTES = 32
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
        dtype, intp = signature.args[0].dtype, context.get_value_type(types.intp)
        out, terms, places, factors = (
            context.make_array(signature.args[k])(context, builder, values[k]) for k in (0, 4, 6, 7)
        )
        row, column, keep, term_column, begin, end = (values[k] for k in (1, 2, 3, 5, 8, 9))
        n_lanes = VECTOR_BYTES // (dtype.bitwidth // 8)
        vector = ir.VectorType(context.get_value_type(dtype), n_lanes)
        fused_multiply_add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{n_lanes}f{dtype.bitwidth}"
        )

        def vectors_at(array: Any, row: Any, column: Any) -> list[Any]:
            bytes_per_row = cgutils.unpack_tuple(builder, array.strides)[0]
            start_of_row = cgutils.pointer_add(builder, array.data, builder.mul(row, bytes_per_row))
            start = builder.gep(start_of_row, [column])
            return [
                builder.bitcast(builder.gep(start, [intp(k * n_lanes)]), vector.as_pointer())
                for k in range(n_vectors)
            ]

        def load(pointer: Any) -> Any:
            return builder.load(pointer, align=dtype.bitwidth // 8)

        def in_all_lanes(scalar: Any) -> Any:
            undefined = ir.Constant(vector, ir.Undefined)
            first_lane = builder.insert_element(undefined, scalar, ir.IntType(32)(0))
            return builder.shuffle_vector(
                first_lane, undefined, ir.Constant(ir.VectorType(ir.IntType(32), n_lanes), [0] * n_lanes)
            )

        destinations = vectors_at(out, row, column)
        sums = [cgutils.alloca_once(builder, vector) for _ in destinations]  # become registers
        kept = in_all_lanes(keep)
        for destination, total in zip(destinations, sums, strict=True):
            builder.store(builder.fmul(kept, load(destination)), total)
        with cgutils.for_range_slice(builder, begin, end, intp(1), intp) as (entry, _):
            place = builder.zext(builder.load(builder.gep(places.data, [entry])), intp)
            factor = in_all_lanes(builder.load(builder.gep(factors.data, [entry])))
            for term, total in zip(vectors_at(terms, place, term_column), sums, strict=True):
                arguments = [factor, load(term), builder.load(total)]
                builder.store(builder.call(fused_multiply_add, arguments), total)
        for destination, total in zip(destinations, sums, strict=True):
            builder.store(builder.load(total), destination, align=dtype.bitwidth // 8)
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
