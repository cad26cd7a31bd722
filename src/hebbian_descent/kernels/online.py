"""Online learning of one layer, pattern after pattern, in place.

The equations are those of `hebbian_descent.training` at batch size 1. Two things are put differently, and are
the same but for rounding. The change of a step is taken into the weights in the pass over them that the next
step needs anyway. And where the offset moves by d = ν(x − μ), the bias b + Wᵀd needs no pass at all, since
with k = 1 − ω

    Wᵀd = ν(k·s + p‖x − μ‖²),   s the sums of this step before it changed the weights, p = −η·post.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.kernels.activations import Activation, Exponential
from hebbian_descent.kernels.compilation import compiled_as, inlined, kept_on_disk
from hebbian_descent.kernels.errors import ErrorTerm, set_error
from hebbian_descent.kernels.rank_one import (
    center,
    decay_and_learn,
    decay_learn_and_sum,
    learn_and_sum,
    move_and_center,
)
from hebbian_descent.kernels.rows import activate, pull_back

ALL_LEARNED = -1


class Steps(NamedTuple):
    """What every step is told, in numbers alone."""

    learns_from_output: float
    """1, or 0 for Hebb's rule: post = −t, and the bias does not learn."""
    pulls_back: float
    learning_rate: float
    """η, or κ where η is automatic."""
    largest_slope: float
    """L of an automatic η = κ / (L·(‖x − μ‖² + 1)), or 0 where η is fixed."""
    weight_decay: float
    shift: float
    """ν, or 0 for an offset that stays."""
    starts_as_mean: float
    """1 if a moving offset is the running mean until 1/n falls below ν."""


N_STEPS = len(Steps._fields)


def as_numbers(steps: Steps, error_term: ErrorTerm) -> Any:
    """Return both in one array, which a compiled function takes many times faster than a named tuple."""
    return np.array([*steps, *error_term], dtype=np.float64)


@inlined
def unpacked(numbers: Any) -> Any:
    """Return the steps and the error term that `as_numbers` packed."""
    n = numbers
    steps = Steps(n[0], n[1], n[2], n[3], n[4], n[5], n[6])
    return steps, ErrorTerm(n[N_STEPS], n[N_STEPS + 1], n[N_STEPS + 2], n[N_STEPS + 3])


def learner(kind: Activation) -> Callable[..., int]:
    """Return the compiled loop for an activation."""
    of: Any = type(kind)
    return _learner(of, *kind)


@cache
def _learner(of: Any, *parameters: float) -> Callable[..., int]:
    # Kept by type and parameters: named tuples without any are equal to each other, whatever their type.
    kind = of(*parameters)

    @kept_on_disk
    def learn_online(
        numbers: Any,
        W: Any,
        b: Any,
        mu: Any,
        inputs: Any,
        targets: Any,
        scales: Any,
        order: Any,
        n_seen: int,
    ) -> int:
        """Show patterns in the given order to a layer; return where it diverged, or −1.

        `numbers` are those of `as_numbers`; `scales` has one factor of η a pattern; `n_seen` patterns came
        before. A pattern that gives an activity or an update beyond the square root of the largest
        number is not learned, nor any after it.
        """
        n_outputs, n_inputs = W.shape
        rows, units = np.zeros((2, n_inputs), W.dtype), np.zeros((5, n_outputs), W.dtype)
        return _learn_in_room(
            kind, unpacked(numbers), W, b, mu, inputs, targets, scales, order, n_seen, rows, units
        )

    return learn_online


@inlined
def _learn_in_room(
    kind: Any,
    told: Any,
    W: Any,
    b: Any,
    mu: Any,
    inputs: Any,
    targets: Any,
    scales: Any,
    order: Any,
    n_seen: int,
    rows: Any,
    units: Any,
) -> int:
    """Do as the compiled loop says, with room for two inputs and for five numbers a unit, which are zeros."""
    if order.size == 0:
        return ALL_LEARNED
    steps, _ = told
    now, before = rows[0], rows[1]
    s, a, h, post, p = units[0], units[1], units[2], units[3], units[4]
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
        if not respond(kind, told, s, b, t, scales[row], squares, (a, h, post), p):
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


@inlined
def respond(
    kind: Any, told: Any, s: Any, b: Any, t: Any, scale: Any, squares: Any, room: Any, p: Any
) -> bool:
    """Set p = −η·post for a pattern with sums s, and let the bias learn; return whether all is in bounds."""
    steps, error_term = told
    a, h, post = room
    for unit in range(s.size):
        a[unit] = s[unit] + b[unit]
    activate(kind, a, h)
    _set_post(kind, error_term, steps, a, h, t, post)
    eta = steps.learning_rate
    if steps.largest_slope > 0:
        eta /= _slope(kind, steps.largest_slope, h, t) * (squares + 1.0)
    if not _set_change(p.dtype.type(-eta * scale), a, post, p):
        return False
    if steps.learns_from_output:
        for unit in range(s.size):
            b[unit] += p[unit]
    return True


@inlined
def _set_post(kind: Any, error_term: Any, steps: Any, a: Any, h: Any, t: Any, post: Any) -> None:
    if not steps.learns_from_output:
        for unit in range(t.size):
            post[unit] = -t[unit]
        return
    set_error(error_term, t, h, post)
    if steps.pulls_back:
        pull_back(kind, a, h, post)


@inlined
def _set_change(minus_eta: Any, a: Any, post: Any, p: Any) -> bool:
    n_wrong, limit = 0, np.sqrt(np.finfo(p.dtype).max)
    for unit in range(p.size):
        p[unit] = minus_eta * post[unit]
        n_wrong += not (abs(a[unit]) <= limit and abs(p[unit]) <= limit)
    return n_wrong == 0


def _slope(kind: Any, largest_slope: float, h: Any, t: Any) -> float:
    """Return the largest slope of the activation; of an exponential, that of the pattern."""
    raise NotImplementedError  # chosen when the kernel is compiled


@compiled_as(_slope)
def _compiled_slope(kind: Any, largest_slope: Any, h: Any, t: Any) -> Callable[..., Any]:
    def fixed(kind: Any, largest_slope: Any, h: Any, t: Any) -> Any:
        return largest_slope

    def exponential(kind: Any, largest_slope: Any, h: Any, t: Any) -> Any:
        slope = largest_slope
        for unit in range(h.size):
            slope = max(slope, h[unit], abs(t[unit]))
        return slope

    return exponential if kind.instance_class is Exponential else fixed
