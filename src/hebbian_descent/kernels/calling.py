"""Calls of functions by their address, from compiled code and without the interpreter lock.

An address is a number at run time, so that a kernel is compiled once, and kept on disk, for all the functions
that it may be handed. Arrays go as pointers to their first number.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from hebbian_descent.kernels.compilation import emitted


@emitted
def call_by_value(typing_context: Any, address: Any, arguments: Any) -> Any:
    """Return the float64 of a function of a tuple of arrays and numbers."""
    return types.float64(address, arguments), partial(_emit_call, False)


@emitted
def call_by_reference(typing_context: Any, address: Any, arguments: Any) -> Any:
    """Call a function that wants pointers to numbers, as those written in Fortran do, and returns nothing."""
    return types.void(address, arguments), partial(_emit_call, True)


def _emit_call(by_reference: bool, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    address, packed = values

    def handed(place: int, kind: Any) -> Any:
        value = builder.extract_value(packed, place)
        if isinstance(kind, types.Array):
            return context.make_array(kind)(context, builder, value).data
        return cgutils.alloca_once_value(builder, value) if by_reference else value

    arguments = [handed(place, kind) for place, kind in enumerate(signature.args[1])]
    returned = ir.VoidType() if by_reference else ir.DoubleType()
    function = ir.FunctionType(returned, [argument.type for argument in arguments])
    called = builder.call(builder.inttoptr(address, function.as_pointer()), arguments)
    return context.get_dummy_value() if by_reference else called
