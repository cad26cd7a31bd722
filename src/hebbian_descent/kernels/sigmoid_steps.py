"""A learning step of sigmoid units, written as LLVM vectors in three passes.

An exponential and then a division are a long chain of instructions that wait for each other, and a processor
looks only so far ahead for others to go on with. Cut in three, more units are under way at once, though the
power of two is computed twice. The bits are those of a loop over units.
"""

from __future__ import annotations

from typing import Any

from numba.core import types

from hebbian_descent.kernels.compilation import emitted, inlined
from hebbian_descent.kernels.exponential import (
    emitted_exp_minus_one_of_rest,
    emitted_half_exp_of_parts,
    emitted_half_power,
    emitted_logistic_of_half,
    emitted_rest,
)
from hebbian_descent.kernels.panel_product import BLOCK_ROWS
from hebbian_descent.kernels.panels import Panels, lanes_of_panel
from hebbian_descent.kernels.rows import LARGEST_ACTIVITY


def _activities_after(n_earlier: int) -> Any:
    """Return a compiled function for a step that so many steps of its block came before.

    It adds weights·earlier to a, sets `rests` to r of a, and returns whether any activity is beyond ±10⁶.
    """

    @emitted
    def panel(typing_context: Any, weights: Any, earlier: Any, a: Any, rests: Any, column: Any) -> Any:
        return types.intp(weights, earlier, a, rests, column), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        panels = Panels(context, builder, signature.args[1].dtype)
        weights, earlier, a, rests = map(panels.array, signature.args[:4], values[:4])
        column = values[4]
        activity = panels.load(a, column)
        for step in map(panels.index, range(n_earlier)):
            weight = panels.in_all_lanes(builder.load(panels.address(weights, step)))
            activity = panels.fused_multiply_add(weight, panels.load(earlier, step, column), activity)
        panels.store(emitted_rest(panels, activity), rests, column)
        panels.store(activity, a, column)
        magnitude = panels.called("llvm.fabs", activity)
        beyond = builder.fcmp_unordered(">", magnitude, panels.constant(LARGEST_ACTIVITY))
        return panels.holds_anywhere(beyond, context.get_value_type(types.intp))

    @inlined
    def row(weights: Any, earlier: Any, a: Any, rests: Any) -> bool:
        n_beyond = 0
        for column in range(0, a.size, lanes_of_panel(a)):
            n_beyond |= panel(weights, earlier, a, rests, column)
        return n_beyond != 0

    return row


_after_none, _after_one, _after_two, _after_three, _after_four, _after_five = (
    _activities_after(n) for n in range(BLOCK_ROWS)
)


@inlined
def _set_activities(weights: Any, earlier: Any, a: Any, rests: Any) -> Any:
    n = len(weights)
    if n == 0:
        return _after_none(weights, earlier, a, rests)
    if n == 1:
        return _after_one(weights, earlier, a, rests)
    if n == 2:
        return _after_two(weights, earlier, a, rests)
    if n == 3:
        return _after_three(weights, earlier, a, rests)
    if n == 4:
        return _after_four(weights, earlier, a, rests)
    return _after_five(weights, earlier, a, rests)


@emitted
def _remainders_of_panel(typing_context: Any, rests: Any, column: Any) -> Any:
    """Replace r by eʳ − 1."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        panels = Panels(context, builder, signature.args[0].dtype)
        rests, column = panels.array(signature.args[0], values[0]), values[1]
        panels.store(emitted_exp_minus_one_of_rest(panels, panels.load(rests, column)), rests, column)
        return context.get_dummy_value()

    return types.void(rests, column), emit


def _changes_of_panel(pulls_back: bool) -> Any:
    """Return a compiled function for the units of one panel."""

    @emitted
    def changes(typing_context: Any, eta: Any, a: Any, t: Any, p: Any, summed: Any, column: Any) -> Any:
        return types.void(eta, a, t, p, summed, column), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        panels = Panels(context, builder, signature.args[1].dtype)
        a, t, p, summed = map(panels.array, signature.args[1:5], values[1:5])
        eta, column = values[0], values[5]
        activity, target, remainder, sum_before = (panels.load(row, column) for row in (a, t, p, summed))
        half = emitted_half_exp_of_parts(panels, emitted_half_power(panels, activity), remainder)
        h = emitted_logistic_of_half(panels, half)
        post = builder.fsub(h, target)
        if pulls_back:
            post = builder.fmul(post, builder.fmul(h, builder.fsub(panels.constant(1), h)))
        change = builder.fmul(panels.in_all_lanes(builder.fneg(eta)), post)
        panels.store(change, p, column)
        panels.store(builder.fadd(sum_before, change), summed, column)
        return context.get_dummy_value()

    return changes


_plain, _pulled_back = _changes_of_panel(pulls_back=False), _changes_of_panel(pulls_back=True)


@inlined
def learn_sigmoid_step(
    pulls_back: bool, eta: Any, weights: Any, earlier: Any, a: Any, t: Any, p: Any, summed: Any
) -> bool:
    """Add weights·earlier to a, set p = −η·post and add it to `summed`, for rows of whole panels.

    Returns whether any activity is beyond ±10⁶ or not a number.
    """
    is_beyond: bool = _set_activities(weights, earlier, a, p)
    for column in range(0, a.size, lanes_of_panel(a)):
        _remainders_of_panel(p, column)  # until the last pass, p is not yet the change
    for column in range(0, a.size, lanes_of_panel(a)):
        if pulls_back:
            _pulled_back(eta, a, t, p, summed, column)
        else:
            _plain(eta, a, t, p, summed, column)
    return is_beyond
