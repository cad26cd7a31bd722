"""Online learning of one layer, pattern after pattern, in place.

The equations are those of `learning/run.py` at batch size 1. Two things are put differently, and are the same
but for rounding. The change of a step is taken into the weights in the pass over them that the next
step needs anyway. And where the offset moves by d = ν(x − μ), the bias b + Wᵀd needs no pass at all, since
with k = 1 − ω

    Wᵀd = ν(k·s + p‖x − μ‖²),   s the sums of this step before it changed the weights, p = −η·post.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.compilation import inlined, kept_on_disk
from hebbian_descent.kernels.rank_one import (
    center,
    decay_and_learn,
    decay_learn_and_sum,
    learn_and_sum,
    move_and_center,
)
from hebbian_descent.kernels.responses import respond, steps_in

ALL_LEARNED = -1


@kept_on_disk
def learn_online(
    response: int,
    numbers: Any,
    W: Any,
    b: Any,
    mu: Any,
    inputs: Any,
    targets: Any,
    scales: Any,
    order: Any,
    seen: Any,
) -> int:
    """Show patterns in the given order to a layer; return where it diverged, or −1.

    `response` is the address of its activation's response, `numbers` are those of `as_numbers`; `scales` has
    one factor of η per pattern; `seen` is an array of one number, the patterns learned so far, which changes
    in the same call as the weights: no interrupt comes between the two. A pattern whose activity, before or
    after its step, is beyond the square root of the largest number is not learned, nor any after it.
    """
    n_outputs, n_inputs = W.shape
    rows, units = np.zeros((2, n_inputs), W.dtype), np.zeros((5, n_outputs), W.dtype)
    samples = inputs, targets, scales
    diverged_at = _learn_in_room(response, numbers, W, b, mu, samples, order, seen[0], rows, units)
    seen[0] += order.size if diverged_at == ALL_LEARNED else diverged_at
    return diverged_at


@inlined
def _learn_in_room(
    response: int,
    numbers: Any,
    W: Any,
    b: Any,
    mu: Any,
    samples: Any,
    order: Any,
    n_seen: int,
    rows: Any,
    units: Any,
) -> int:
    """Do as the compiled loop says, with room for two inputs and for five numbers a unit, which are zeros."""
    if order.size == 0:
        return ALL_LEARNED
    steps = steps_in(numbers)
    inputs, targets, scales = samples
    now, before = rows[0], rows[1]
    s, p, room = units[0], units[1], (units[2], units[3], units[4])
    number = W.dtype.type
    keep, kept = number(1 - steps.weight_decay), number(1)
    moves = steps.shift > 0 or steps.starts_as_mean > 0
    nu, last = number(0), inputs[0]
    diverged_at = ALL_LEARNED
    for step in range(order.size):
        row = order[step]
        x, t = inputs[row], targets[row]
        ahead = inputs[order[min(step + 1, order.size - 1)]]
        # The offset moves after the update of a step, in the pass over it that the next one needs.
        squares = move_and_center(mu, last, nu, x, now) if moves else center(x, mu, now)
        if steps.weight_decay == 0:
            learn_and_sum(W, (p,), (before,), (now,), (s,), (ahead,))
        else:
            decay_learn_and_sum(W, kept, (p,), (before,), (now,), (s,), (ahead,))
        kept = keep
        if not respond(response, numbers, s, b, t, scales[row], squares, room, p):
            p[:], kept, nu, diverged_at = 0, number(1), number(0), step
            break
        if moves:
            nu, last = number(rate_of(steps, n_seen + step)), x
            follow(b, nu, keep, s, p, squares)
        now, before = before, now
    decay_and_learn(W, kept, (p,), (before,))
    if moves:
        move_and_center(mu, last, nu, last, now)
    return diverged_at


@inlined
def rate_of(steps: Any, n_before: int) -> Any:
    """Return ν, by which the offset follows a pattern that so many came before."""
    return max(steps.shift, 1.0 / (n_before + 1)) if steps.starts_as_mean > 0 else steps.shift


@inlined
def follow(b: Any, nu: Any, keep: Any, s: Any, p: Any, squares: Any) -> None:
    """Let the bias make up for an offset that follows a pattern by ν: add ν·W(x − μ), with W the new ones."""
    for unit in range(b.size):
        b[unit] += nu * (keep * s[unit] + p[unit] * squares)
