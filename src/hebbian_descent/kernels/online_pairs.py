"""Online learning of one layer, pattern after pattern, with one pass over the weights for two of them.

The sums of the second pattern are those of the weights before the first, plus what the first changes: with
k = 1 − ω and p = −η·post of the first,

    Wᵀ(x₂ − μ₂) = k·s₂ + p·⟨x₁ − μ₁, x₂ − μ₂⟩,

where a moving offset is μ₂ = μ₁ + ν(x₁ − μ₁). This is `kernels.online` but for rounding. Half of the passes,
which take most of the time, are spared. Patterns that come one at a time cannot have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.compilation import inlined, kept_on_disk
from hebbian_descent.kernels.online import ALL_LEARNED, follow, rate_of
from hebbian_descent.kernels.rank_one import (
    center_two,
    decay_and_learn,
    decay_learn_and_sum,
    learn_and_sum,
    move,
)
from hebbian_descent.kernels.responses import respond, steps_in


@kept_on_disk
def learn_in_pairs(
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
    """Do what `learn_online` does, told the same."""
    n_outputs, n_inputs = W.shape
    rows, units = np.zeros((4, n_inputs), W.dtype), np.zeros((7, n_outputs), W.dtype)
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
    """Do as the compiled loop says, with room for four inputs and seven numbers a unit, which are zeros."""
    steps = steps_in(numbers)
    inputs, targets, scales = samples
    now, before = (rows[0], rows[1]), (rows[2], rows[3])
    s, p, room = (units[0], units[1]), (units[2], units[3]), (units[4], units[5], units[6])
    number = W.dtype.type
    keep, kept = number(1 - steps.weight_decay), number(1)
    moves = steps.shift > 0 or steps.starts_as_mean > 0
    nu, nu_of_second = number(0), number(0)
    last = order.size - 1
    for step in range(0, order.size, 2):
        first, second = order[step], order[min(step + 1, last)]
        x = inputs[first], inputs[second]
        ahead = inputs[order[min(step + 2, last)]], inputs[order[min(step + 3, last)]]
        rate = number(0)
        if moves:
            move(mu, (nu, nu_of_second), before)
            rate = number(rate_of(steps, n_seen + step))
        squares, squares_of_second, product = center_two(x, mu, rate, now)
        if steps.weight_decay == 0:
            learn_and_sum(W, p, before, now, s, ahead)
        else:
            decay_learn_and_sum(W, kept, p, before, now, s, ahead)
        p[1][:] = 0
        if not respond(response, numbers, s[0], b, targets[first], scales[first], squares, room, p[0]):
            return step
        kept, nu, nu_of_second = keep, rate, number(0)
        follow(b, nu, keep, s[0], p[0], squares)
        if step < last:
            for unit in range(W.shape[0]):
                s[1][unit] = keep * s[1][unit] + p[0][unit] * product
            scale = scales[second]
            if not respond(response, numbers, s[1], b, targets[second], scale, squares_of_second, room, p[1]):
                decay_and_learn(W, kept, (p[0],), (now[0],))
                move(mu, (nu,), (now[0],))
                return step + 1
            if moves:
                nu_of_second = number(rate_of(steps, n_seen + step + 1))
            follow(b, nu_of_second, keep, s[1], p[1], squares_of_second)
            for unit in range(W.shape[0]):
                p[0][unit] *= keep
            kept = keep * keep
        now, before = before, now
    decay_and_learn(W, kept, p, before)
    move(mu, (nu, nu_of_second), before)
    return ALL_LEARNED
