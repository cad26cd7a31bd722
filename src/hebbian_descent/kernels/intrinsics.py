"""Arithmetic that Python has no word for, emitted as LLVM instructions.

Every operation here rounds in one defined way, so that a loop gives the same bits whether the compiler
vectorises it or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types

from hebbian_descent.kernels.compilation import emitted


@emitted
def fused_multiply_add(typing_context: Any, factor: Any, other: Any, addend: Any) -> Any:
    """Return factor·other + addend, rounded once."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return factor(factor, factor, factor), emit


def polynomial(*coefficients: float) -> Any:
    """Return a compiled function x → c₀ + c₁x + c₂x² + …, its even and odd powers summed side by side."""

    @emitted
    def evaluate(typing_context: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
            argument = arguments[0]
            square = builder.fmul(argument, argument)

            def horner(part: Sequence[float]) -> Any:
                *lower, value = (ir.Constant(argument.type, c) for c in part)
                for coefficient in reversed(lower):
                    value = builder.fma(value, square, coefficient)
                return value

            return builder.fma(argument, horner(coefficients[1::2]), horner(coefficients[::2]))

        return x(x), emit

    return evaluate


@emitted
def half_power_of_two(typing_context: Any, shifted: Any) -> Any:
    """Return 2ⁿ⁻¹ for `shifted` = n + 1.5·2ᵇ, or 0 where n − 1 is below the range.

    With b the bits of the mantissa, adding 1.5·2ᵇ rounds a number to an integer and leaves it in the lowest
    bits, from where it is moved into the exponent. Half the power is what both ends of the range can
    represent.
    """
    mantissa_bits, bias = (52, 1023) if shifted == types.float64 else (23, 127)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        integer = ir.IntType(shifted.bitwidth)
        exponent = builder.shl(builder.bitcast(arguments[0], integer), integer(mantissa_bits))
        bits = builder.add(exponent, integer((bias - 1) << mantissa_bits))
        return builder.bitcast(bits, arguments[0].type)

    return shifted(shifted), emit
