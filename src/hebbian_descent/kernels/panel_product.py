"""A matrix product whose sums stay in registers: a few rows by one 64-byte panel of columns at a time.

Written as LLVM vectors, because a loop over arrays that might overlap is not kept in registers. On one core
it runs at the rate of a BLAS product, needs no packing and no threads of its own, and every column is summed
in the same order wherever it stands, which a BLAS does not promise.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted, inlined

PANEL_BYTES = 64
BLOCK_ROWS = 6  # 12 sums of 32 bytes, 2 of the terms and one coefficient fill the 16 registers of AVX2


def _panel_of_rows(n_rows: int) -> Any:
    """Return a compiled function for blocks of `n_rows` rows."""

    @emitted
    def panel(
        typing_context: Any, out: Any, start: Any, coefficients: Any, terms: Any, n_terms: Any, column: Any
    ) -> Any:
        return types.void(out, start, coefficients, terms, n_terms, column), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        dtype, intp = signature.args[0].dtype, context.get_value_type(types.intp)
        out, start, coefficients, terms = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args[:4], values[:4], strict=True)
        )
        n_terms, column = values[4:]
        n_lanes = PANEL_BYTES // (dtype.bitwidth // 8)
        vector = ir.VectorType(context.get_value_type(dtype), n_lanes)
        fused_multiply_add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{n_lanes}f{dtype.bitwidth}"
        )

        def address(array: Any, row: Any, column: Any) -> Any:
            bytes_per_row = cgutils.unpack_tuple(builder, array.strides)[0]
            start_of_row = cgutils.pointer_add(builder, array.data, builder.mul(row, bytes_per_row))
            return builder.gep(start_of_row, [column])

        def panel_at(array: Any, row: Any) -> Any:
            return builder.bitcast(address(array, row, column), vector.as_pointer())

        def load(pointer: Any) -> Any:
            return builder.load(pointer, align=dtype.bitwidth // 8)

        def in_all_lanes(scalar: Any) -> Any:
            undefined = ir.Constant(vector, ir.Undefined)
            first_lane = builder.insert_element(undefined, scalar, ir.IntType(32)(0))
            return builder.shuffle_vector(
                first_lane, undefined, ir.Constant(ir.VectorType(ir.IntType(32), n_lanes), [0] * n_lanes)
            )

        rows = [intp(i) for i in range(n_rows)]
        sums = [cgutils.alloca_once(builder, vector) for _ in rows]  # become registers
        for row, total in zip(rows, sums, strict=True):
            builder.store(load(panel_at(start, row)), total)
        factors = [address(coefficients, row, intp(0)) for row in rows]
        with cgutils.for_range(builder, n_terms, intp=intp) as loop:
            term = load(panel_at(terms, loop.index))
            for factor, total in zip(factors, sums, strict=True):
                coefficient = in_all_lanes(builder.load(builder.gep(factor, [loop.index])))
                builder.store(
                    builder.call(fused_multiply_add, [coefficient, term, builder.load(total)]), total
                )
        for row, total in zip(rows, sums, strict=True):
            destination = panel_at(out, row)
            builder.store(builder.load(total), destination, align=dtype.bitwidth // 8)
        return context.get_dummy_value()

    return panel


_one, _two, _three, _four, _five, _six = (_panel_of_rows(n) for n in range(1, BLOCK_ROWS + 1))


@inlined
def add_product(out: Any, start: Any, coefficients: Any, terms: Any) -> None:
    """Set out = start + coefficients @ terms, for 1 to 6 rows; `out` may be `start`.

    The columns of `out`, `start` and `terms` are whole panels, and neighbours in memory.
    """
    n_rows, n_terms = len(out), len(terms)
    for column in range(0, out.shape[1], PANEL_BYTES // out.itemsize):
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
