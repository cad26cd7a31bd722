"""A learning step of sigmoid units, written as LLVM vectors.

Their exponential is a long chain of instructions that wait for each other; a processor looks only so far
ahead. Two panels at a time, it always has others to go on with, which the compiler's own vectors do not
give it. The bits are those of a loop over units.
"""

from __future__ import annotations

from typing import Any

from numba.core import types

from hebbian_descent.kernels.compilation import emitted, inlined
from hebbian_descent.kernels.exponential import emitted_logistic
from hebbian_descent.kernels.panels import PANEL_BYTES, Panels


def _step_of_panels(n_panels: int, pulls_back: bool) -> Any:
    """Return a compiled function for the units of a few panels."""

    @emitted
    def step(
        typing_context: Any,
        eta: Any,
        weight: Any,
        previous: Any,
        a: Any,
        t: Any,
        p: Any,
        summed: Any,
        column: Any,
    ) -> Any:
        return types.void(eta, weight, previous, a, t, p, summed, column), emit

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        panels = Panels(context, builder, signature.args[2].dtype, n_panels * PANEL_BYTES)
        previous, a, t, p, summed = map(panels.array, signature.args[2:7], values[2:7])
        eta, weight, column = values[0], values[1], values[7]
        # All is read before anything is written: the compiler may not change that order.
        activity, target, sum_before = (panels.load(row, column) for row in (a, t, summed))
        before = panels.load(previous, column)
        activity = panels.fused_multiply_add(panels.in_all_lanes(weight), before, activity)
        h = emitted_logistic(panels, activity)
        post = builder.fsub(h, target)
        if pulls_back:
            post = builder.fmul(post, builder.fmul(h, builder.fsub(panels.constant(1), h)))
        change = builder.fmul(panels.in_all_lanes(builder.fneg(eta)), post)
        panels.store(activity, a, column)
        panels.store(change, p, column)
        panels.store(builder.fadd(sum_before, change), summed, column)
        return context.get_dummy_value()

    return step


_one, _two, _three = (_step_of_panels(n, pulls_back=False) for n in (1, 2, 3))
_one_back, _two_back, _three_back = (_step_of_panels(n, pulls_back=True) for n in (1, 2, 3))


@inlined
def learn_sigmoid_step(
    pulls_back: bool, eta: Any, weight: Any, previous: Any, a: Any, t: Any, p: Any, summed: Any
) -> None:
    """Add weight·previous to a, set p = −η·post and add it to `summed`, for rows of whole panels."""
    lanes = PANEL_BYTES // a.itemsize
    n_panels = a.size // lanes
    pairs_end = (n_panels - (3 if n_panels % 2 else 0)) * lanes
    for column in range(0, pairs_end, 2 * lanes):
        if pulls_back:
            _two_back(eta, weight, previous, a, t, p, summed, column)
        else:
            _two(eta, weight, previous, a, t, p, summed, column)
    if n_panels == 1:
        if pulls_back:
            _one_back(eta, weight, previous, a, t, p, summed, 0)
        else:
            _one(eta, weight, previous, a, t, p, summed, 0)
    elif n_panels % 2:
        if pulls_back:
            _three_back(eta, weight, previous, a, t, p, summed, pairs_end)
        else:
            _three(eta, weight, previous, a, t, p, summed, pairs_end)
