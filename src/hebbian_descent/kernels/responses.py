"""How output units respond to one pattern: what changes their weights, and their bias at once.

Compiled for one activation and found by its address, so that the loops over all patterns, which are large,
are compiled once for all activations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types

from hebbian_descent.kernels.activations import Activation, Exponential
from hebbian_descent.kernels.calling import call_by_value
from hebbian_descent.kernels.compilation import called_by_address, compiled_as, inlined
from hebbian_descent.kernels.errors import ErrorTerm, set_error
from hebbian_descent.kernels.rows import activate, pull_back


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
N_NUMBERS = N_STEPS + len(ErrorTerm._fields)


def as_numbers(steps: Steps, error_term: ErrorTerm) -> Any:
    """Return both in one array, which a compiled function takes many times faster than a named tuple."""
    return np.array([*steps, *error_term], dtype=np.float64)


@inlined
def steps_in(numbers: Any) -> Any:
    """Return the steps that `as_numbers` packed."""
    n = numbers
    return Steps(n[0], n[1], n[2], n[3], n[4], n[5], n[6])


@inlined
def respond(
    response: int, numbers: Any, s: Any, b: Any, t: Any, scale: Any, squares: Any, room: Any, p: Any
) -> Any:
    """Set p = −η·post for a pattern with sums s, and let the bias learn; return whether all is in bounds.

    `response` is the address of an activation's response, `scale` a factor of η, `squares` = ‖x − μ‖², and
    `room` three numbers a unit.
    """
    a, h, post = room
    scale, squares = np.float64(scale), np.float64(squares)
    return call_by_value(response, (numbers, s, b, t, a, h, post, p, s.size, scale, squares)) > 0


@lru_cache(maxsize=None, typed=True)  # activations without parameters are equal as tuples
def address_of_response(kind: Activation, dtype: np.dtype[Any]) -> int:
    """Return where the compiled response of an activation is, which says 1 if all is in bounds, else 0."""

    def response(
        numbers: Any, s: Any, b: Any, t: Any, a: Any, h: Any, post: Any, p: Any,
        n: int, scale: float, squares: float,
    ) -> Any:  # fmt: skip
        return _respond(
            kind,
            numba.carray(numbers, N_NUMBERS),
            numba.carray(s, n),
            numba.carray(b, n),
            numba.carray(t, n),
            scale,
            squares,
            (numba.carray(a, n), numba.carray(h, n), numba.carray(post, n)),
            numba.carray(p, n),
        )

    kinds: Any = types
    told, units = kinds.CPointer(kinds.float64), kinds.CPointer(numba.from_dtype(dtype))
    signature = kinds.float64(told, *[units] * 7, kinds.intp, kinds.float64, kinds.float64)
    address: int = called_by_address(signature)(response).address
    return address


@inlined
def _respond(
    kind: Any, numbers: Any, s: Any, b: Any, t: Any, scale: Any, squares: Any, room: Any, p: Any
) -> bool:
    n, steps = numbers, steps_in(numbers)
    error_term = ErrorTerm(n[N_STEPS], n[N_STEPS + 1], n[N_STEPS + 2], n[N_STEPS + 3])
    a, h, post = room
    for unit in range(s.size):
        a[unit] = s[unit] + b[unit]
    activate(kind, a, h)
    _set_post(kind, error_term, steps, a, h, t, post)
    eta = steps.learning_rate
    if steps.largest_slope > 0:
        eta /= _slope(kind, steps.largest_slope, h, t) * (squares + 1.0)
    if not _set_change(p.dtype.type(-eta * scale), squares, a, post, p):
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
def _set_change(minus_eta: Any, squares: Any, a: Any, post: Any, p: Any) -> bool:
    """Set p = −η·post and return whether the activities are in bounds, before and after the step.

    A step adds p·(‖x − μ‖² + 1) to them, and no more to any weight. The step of an error of 1 must be in
    bounds, too: a moving offset also follows a pattern without error, and later ones must stay learnable.
    """
    limit = np.sqrt(np.finfo(p.dtype).max)
    reach = limit / (squares + 1.0)
    n_wrong = int(not (reach > 0 and abs(minus_eta) <= reach))
    for unit in range(p.size):
        p[unit] = minus_eta * post[unit]
        n_wrong += not (abs(a[unit]) <= limit and abs(p[unit]) <= reach)
    return n_wrong == 0


def _slope(kind: Any, largest_slope: float, h: Any, t: Any) -> float:
    """Return the largest slope of the activation; of an exponential, that of the pattern."""
    raise NotImplementedError  # chosen when the response is compiled


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
