"""Pieces of rows as LLVM vectors, for kernels that say which instructions they want."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted
from hebbian_descent.kernels.intrinsics import Lanes

PANEL_BYTES = 64


class Panels(Lanes):
    """Instructions for vectors of `n_bytes`, and for what is read and written as such."""

    def __init__(self, context: Any, builder: Any, dtype: Any, n_bytes: int = PANEL_BYTES) -> None:
        n_lanes = n_bytes // (dtype.bitwidth // 8)
        super().__init__(builder, ir.VectorType(context.get_value_type(dtype), n_lanes))
        self.context, self.alignment = context, dtype.bitwidth // 8

    def array(self, kind: Any, value: Any) -> Any:
        """Return an argument as an array."""
        return self.context.make_array(kind)(self.context, self.builder, value)

    def index(self, value: int) -> Any:
        """Return a constant index."""
        return self.context.get_value_type(types.intp)(value)

    def address(self, array: Any, *place: Any) -> Any:
        """Return where an element is; elements of a row are neighbours."""
        *rows, column = place
        start = array.data
        for row in rows:
            bytes_per_row = cgutils.unpack_tuple(self.builder, array.strides)[0]
            start = cgutils.pointer_add(self.builder, start, self.builder.mul(row, bytes_per_row))
        return self.builder.gep(start, [column])

    def load(self, array: Any, *place: Any) -> Any:
        """Return the vector that begins at an element."""
        return self.builder.load(self._vector_at(array, place), align=self.alignment)

    def store(self, vector: Any, array: Any, *place: Any) -> None:
        """Write a vector to where an element is."""
        self.builder.store(vector, self._vector_at(array, place), align=self.alignment)

    def fetch(self, array: Any, *place: Any) -> None:
        """Ask for the memory around an element, which is needed soon."""
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        prefetch = cgutils.get_or_insert_function(self.builder.module, kind, "llvm.prefetch.p0i8")
        to_read, to_keep, data = flag(0), flag(3), flag(1)
        where = self.builder.bitcast(self.address(array, *place), pointer)
        self.builder.call(prefetch, [where, to_read, to_keep, data])

    def in_all_lanes(self, number: Any) -> Any:
        """Return a vector of copies of a number."""
        undefined = ir.Constant(self.kind, ir.Undefined)
        first_lane = self.builder.insert_element(undefined, number, ir.IntType(32)(0))
        first_everywhere = ir.Constant(ir.VectorType(ir.IntType(32), self.n_lanes), [0] * self.n_lanes)
        return self.builder.shuffle_vector(first_lane, undefined, first_everywhere)

    def without_fading(self, vector: Any, smallest: Any) -> Any:
        """Return a vector whose lanes below a magnitude, or not a number, are 0."""
        magnitude = self.called("llvm.fabs", vector)
        fades = self.builder.fcmp_unordered("<", magnitude, smallest)
        return self.builder.select(fades, self.constant(0), vector)

    def holds_anywhere(self, conditions: Any, integer: Any) -> Any:
        """Return 1 if a condition holds in any lane, else 0."""
        truth = ir.IntType(1)
        kind = ir.FunctionType(truth, [ir.VectorType(truth, self.n_lanes)])
        name = f"llvm.vector.reduce.or.v{self.n_lanes}i1"
        reduce = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.zext(self.builder.call(reduce, [conditions]), integer)

    def sum_of(self, vector: Any) -> Any:
        """Return the sum of the lanes, neighbours first."""
        lanes = [self.builder.extract_element(vector, ir.IntType(32)(i)) for i in range(self.n_lanes)]
        while len(lanes) > 1:
            lanes = [self.builder.fadd(*lanes[i : i + 2]) for i in range(0, len(lanes), 2)]
        return lanes[0]

    def _vector_at(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.address(array, *place), self.kind.as_pointer())


@emitted
def lanes_of_panel(typing_context: Any, array: Any) -> Any:
    """Return how many numbers of an array are a panel, known when a kernel is compiled: it divides by it."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.intp, 8 * PANEL_BYTES // array.dtype.bitwidth)

    return types.intp(array), emit
