"""The exponential and its relatives without branches, so that a loop over them becomes vector instructions.

x = n·ln 2 + r with |r| ≤ ln 2 / 2, and e^x = 2ⁿ·(1 + (eʳ − 1)). The polynomials interpolate at Chebyshev
points: (eʳ − 1 − r)/r² with a relative error in eʳ − 1 of 4e-17 (double) and 3e-8 (single), and
(ln(1 + z) − 2s)/s³ in s² for s = z/(2 + z) ≤ 1/3, with 5e-18 and 2e-8. All functions stay within 3 units in
the last place; what would be smaller than about twice the smallest normal number is 0.
"""

from __future__ import annotations

from math import e, log2
from typing import Any, NamedTuple

from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.intrinsics import Lanes, of_a_number


class _Precision(NamedTuple):
    lowest: float  # e^x is 0 below
    highest: float  # e^x is infinite above
    mantissa_bits: int
    ln2_high: float  # with so many trailing zeros that n·ln2_high is exact
    ln2_low: float
    exponential_tail: tuple[float, ...]
    logarithm_tail: tuple[float, ...]


_DOUBLE = _Precision(
    lowest=-708.3,
    highest=709.79,
    mantissa_bits=52,
    ln2_high=0.693147180559890330187045,
    ln2_low=5.497923018708371174712472e-14,
    exponential_tail=(
        0.50000000000000010221,
        0.16666666666666667453,
        0.041666666666624127873,
        0.0083333333333300618325,
        0.0013888888917213716901,
        0.00019841269863053616878,
        0.000024801521295954375131,
        2.7557268459997064772e-6,
        2.7620088445409748161e-7,
        2.5100385495510319078e-8,
    ),
    logarithm_tail=(
        0.66666666666666658561,
        0.40000000000014582673,
        0.28571428567108757162,
        0.22222222717427862989,
        0.18181789436132858169,
        0.15385570064958623103,
        0.1331414420965493615,
        0.12001072809590712535,
        0.088007384861446738822,
        0.16164045611943532221,
    ),
)

_SINGLE = _Precision(
    lowest=-87.3,
    highest=88.8,
    mantissa_bits=23,
    ln2_high=0.693145751953125,
    ln2_low=1.428606820309417232121458e-6,
    exponential_tail=(
        0.5,
        0.16666576989698775683,
        0.041666554617204574203,
        0.0083631790527225773704,
        0.0013926183587713494542,
    ),
    logarithm_tail=(
        0.66666640336699239788,
        0.40007560644911205765,
        0.28236619805310481437,
        0.26851498022837151807,
    ),
)


def _of(lanes: Lanes) -> _Precision:
    return _DOUBLE if lanes.is_double else _SINGLE


def _limited_and_shifted(lanes: Lanes, x: Any) -> tuple[Any, Any]:
    """Return x within the range, and n + 1.5·2ᵇ with b the bits of the mantissa."""
    precision = _of(lanes)
    x = lanes.limited(x, precision.lowest, precision.highest)
    return x, lanes.fused_multiply_add(x, lanes.constant(log2(e)), _rounder(lanes))


def _rounder(lanes: Lanes) -> Any:
    return lanes.constant(1.5 * 2 ** _of(lanes).mantissa_bits)


def emitted_half_power(lanes: Lanes, x: Any) -> Any:
    """Return 2ⁿ⁻¹."""
    return lanes.half_power_of_two(_limited_and_shifted(lanes, x)[1])


def emitted_rest(lanes: Lanes, x: Any) -> Any:
    """Return r."""
    precision, fma = _of(lanes), lanes.fused_multiply_add
    x, shifted = _limited_and_shifted(lanes, x)
    n = lanes.builder.fsub(shifted, _rounder(lanes))
    r = fma(n, lanes.constant(-precision.ln2_high), x)
    return fma(n, lanes.constant(-precision.ln2_low), r)


def emitted_exp_minus_one_of_rest(lanes: Lanes, r: Any) -> Any:
    """Return eʳ − 1."""
    tail = lanes.polynomial(_of(lanes).exponential_tail, r)
    return lanes.fused_multiply_add(lanes.builder.fmul(r, r), tail, r)


def _half_power_and_remainder(lanes: Lanes, x: Any) -> tuple[Any, Any]:
    """Return 2ⁿ⁻¹ and eʳ − 1."""
    return emitted_half_power(lanes, x), emitted_exp_minus_one_of_rest(lanes, emitted_rest(lanes, x))


def emitted_half_exp(lanes: Lanes, x: Any) -> Any:
    """Return eˣ / 2, which is finite for every x that is a number."""
    return emitted_half_exp_of_parts(lanes, *_half_power_and_remainder(lanes, x))


def emitted_half_exp_of_parts(lanes: Lanes, half_power: Any, remainder: Any) -> Any:
    """Return eˣ / 2, given 2ⁿ⁻¹ and eʳ − 1."""
    return lanes.fused_multiply_add(half_power, remainder, half_power)


def emitted_exp(lanes: Lanes, x: Any) -> Any:
    """Return eˣ."""
    half = emitted_half_exp(lanes, x)
    return lanes.builder.fadd(half, half)


def emitted_exp_minus_one(lanes: Lanes, x: Any) -> Any:
    """Return eˣ − 1 without cancellation at small x."""
    half_power, remainder = _half_power_and_remainder(lanes, x)
    less = lanes.builder.fsub(half_power, lanes.constant(0.5))
    half = lanes.fused_multiply_add(half_power, remainder, less)
    return lanes.builder.fadd(half, half)


def emitted_logistic(lanes: Lanes, x: Any) -> Any:
    """Return eˣ / (1 + eˣ); both tails keep their relative accuracy."""
    return emitted_logistic_of_half(lanes, emitted_half_exp(lanes, x))


def emitted_logistic_of_half(lanes: Lanes, half: Any) -> Any:
    """Return eˣ / (1 + eˣ), given eˣ / 2."""
    return lanes.builder.fdiv(half, lanes.builder.fadd(half, lanes.constant(0.5)))


def _emitted_log_one_plus(lanes: Lanes, z: Any) -> Any:
    """Return ln(1 + z) for 0 ≤ z ≤ 1."""
    builder = lanes.builder
    s = builder.fdiv(z, builder.fadd(lanes.constant(2), z))
    square = builder.fmul(s, s)
    tail = lanes.polynomial(_of(lanes).logarithm_tail, square)
    return lanes.fused_multiply_add(builder.fmul(s, square), tail, builder.fadd(s, s))


exp = of_a_number(emitted_exp)
exp_minus_one = of_a_number(emitted_exp_minus_one)
logistic = of_a_number(emitted_logistic)
_log_one_plus = of_a_number(_emitted_log_one_plus)


@inlined
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent, as |m|/(2 + m) with m = e^(−2|x|) − 1."""
    m = exp_minus_one(type(x)(-2) * abs(x))
    magnitude = abs(m) / (type(x)(2) + m)
    return -magnitude if x < 0 else magnitude


@inlined
def softplus(x: Any) -> Any:
    """Return ln(1 + eˣ)."""
    above = x if x > 0 else type(x)(0)
    return above + _log_one_plus(exp(-abs(x)))
