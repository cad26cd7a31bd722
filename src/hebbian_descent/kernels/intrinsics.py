"""Arithmetic that Python has no word for, emitted as LLVM instructions, for one number or a vector of them.

Every operation here rounds in one defined way, so that a loop gives the same bits whether the compiler
vectorises it, or it is written in vectors, or neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from hebbian_descent.kernels.compilation import emitted


class Lanes:
    """Instructions for values of one LLVM type, a number or a vector of numbers."""

    def __init__(self, builder: Any, kind: Any) -> None:
        self.builder, self.kind = builder, kind
        self.n_lanes = kind.count if isinstance(kind, ir.VectorType) else 0
        self.number = kind.element if self.n_lanes else kind
        self.is_double = isinstance(self.number, ir.DoubleType)
        self.integer = ir.IntType(64 if self.is_double else 32)
        self.integers = ir.VectorType(self.integer, self.n_lanes) if self.n_lanes else self.integer

    def constant(self, value: float) -> Any:
        """Return the value in all lanes."""
        return self._everywhere(self.number, value)

    def fused_multiply_add(self, factor: Any, other: Any, addend: Any) -> Any:
        """Return factor·other + addend, rounded once."""
        return self.called("llvm.fma", factor, other, addend)

    def called(self, function: str, *arguments: Any) -> Any:
        """Call a function of LLVM that takes and returns such values."""
        name = f"{function}.{f'v{self.n_lanes}' if self.n_lanes else ''}f{self.integer.width}"
        kind = ir.FunctionType(self.kind, [self.kind] * len(arguments))
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)

    def polynomial(self, coefficients: Sequence[float], x: Any) -> Any:
        """Return c₀ + c₁x + c₂x² + …, its even and odd powers summed side by side."""
        square = self.builder.fmul(x, x)

        def horner(part: Sequence[float]) -> Any:
            *lower, value = (self.constant(c) for c in part)
            for coefficient in reversed(lower):
                value = self.fused_multiply_add(value, square, coefficient)
            return value

        return self.fused_multiply_add(x, horner(coefficients[1::2]), horner(coefficients[::2]))

    def limited(self, x: Any, lowest: float, highest: float) -> Any:
        """Return x within two limits; NaN, for which every comparison is false, passes through."""
        for sign, limit in (("<", self.constant(lowest)), (">", self.constant(highest))):
            x = self.builder.select(self.builder.fcmp_ordered(sign, x, limit), limit, x)
        return x

    def half_power_of_two(self, shifted: Any) -> Any:
        """Return 2ⁿ⁻¹ for `shifted` = n + 1.5·2ᵇ, or 0 where n − 1 is below the range.

        With b the bits of the mantissa, adding 1.5·2ᵇ rounds a number to an integer and leaves it in the
        lowest bits, from where it is moved into the exponent. Half the power is what both ends of the range
        can represent.
        """
        mantissa_bits, bias = (52, 1023) if self.is_double else (23, 127)
        exponent = self.builder.shl(
            self.builder.bitcast(shifted, self.integers), self._everywhere(self.integer, mantissa_bits)
        )
        half = self._everywhere(self.integer, (bias - 1) << mantissa_bits)
        return self.builder.bitcast(self.builder.add(exponent, half), self.kind)

    def _everywhere(self, kind: Any, value: float) -> Any:
        number = ir.Constant(kind, value)
        if not self.n_lanes:
            return number
        return ir.Constant(ir.VectorType(kind, self.n_lanes), [number] * self.n_lanes)


def of_a_number(function: Callable[..., Any]) -> Any:
    """Return a compiled function x → function(lanes, x) of one number."""

    @emitted
    def call(typing_context: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
            return function(Lanes(builder, arguments[0].type), *arguments)

        return x(x), emit

    return call


@emitted
def fused_multiply_add(typing_context: Any, factor: Any, other: Any, addend: Any) -> Any:
    """Return factor·other + addend, rounded once."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return factor(factor, factor, factor), emit
