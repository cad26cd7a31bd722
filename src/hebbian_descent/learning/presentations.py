"""Patterns of weight w, which teach as much as ⌊w⌋ presentations and one more with the rest of w times η.

A presentation moves the activities of its own pattern by p(‖z‖² + 1), p = −η·post, so all of them take place
in output space, and the weights change once, by Σp. Linear units have a closed form. Others are presented 16
times; from then on one implicit step,

    a′ = a − m·η(‖z‖² + 1)·post(a′),

stands for m presentations, a sixteenth of those so far. It never passes the point where post is 0, so no
weight is too large, and a weight of 10¹² takes some 400 such steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import floor
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.rules.proximal import implicit_step

SINGLE = 16
MOST_SINGLE = 500
"""Most presentations where there is no implicit step: coupled units, and auto-encoders, with two layers."""
HALVINGS = 40
NEWTON_STEPS = 50

Respond = Callable[[Array], tuple[Array, Array, Any]]
"""a → (h, post, η)."""
ImplicitStep = Callable[[Respond, Array, Any], Array]
"""(respond, a, m·η(‖z‖² + 1)) → a′, with the η that a has."""


def presentations_of(weight: float) -> Iterator[float]:
    """Yield 1 for each presentation of a pattern, `MOST_SINGLE` at most, then the rest of its weight."""
    left = min(weight, MOST_SINGLE)
    yield min(left, 1.0)
    while (left := left - 1) > 0:
        yield min(left, 1.0)


def linear_factor(weight: float, eta: float, growth: float) -> float:
    """Return the factor of η that replaces w, for linear units that learn from h − t."""
    whole, left = floor(weight), np.float64(1 - eta * growth)  # its powers may be infinite
    return float((1 - left**whole * (1 - (weight - whole) * eta * growth)) / (eta * growth))


def total_change(
    respond: Respond, preactivation: Array, weight: float, growth: float, implicit_step: ImplicitStep | None
) -> Array:
    """Return Σ over the presentations of η·post, one row."""
    a = preactivation
    total = np.zeros_like(a)
    done, left = 0.0, weight if implicit_step else min(weight, MOST_SINGLE)
    while left > 0:
        _, post, eta = respond(a)
        if done < SINGLE or implicit_step is None:
            share = min(left, 1.0)
            change = share * eta * post
            a = a - growth * change
        else:
            share = min(left, done / SINGLE)
            moved = implicit_step(respond, a, share * eta * growth)
            change = (a - moved) / growth
            a = moved
        total += change
        done, left = done + share, left - share
    return total


def step_apart(respond: Respond, preactivation: Array, reach: Any) -> Array:
    """Step to the root of v − a + reach·post(v) along the explicit step, unit by unit."""
    return implicit_step(lambda a: respond(a)[1], preactivation, reach, halvings=HALVINGS)


def step_together(targets: Array) -> ImplicitStep:
    """Return the same for softmax units that learn from their difference, by Newton's method.

    Its matrix is 1 + g(diag h − hhᵀ) with g = reach.
    """

    def step(respond: Respond, preactivation: Array, reach: Any) -> Array:
        a, g = preactivation[0], float(np.max(reach))
        v = a.copy()

        def rest_at(v: Array) -> tuple[Array, Array]:
            h = respond(v[np.newaxis])[0][0]
            return h, v - a + g * (h - targets[0])

        h, rest = rest_at(v)
        enough = rest @ rest * 1e-12
        for _ in range(NEWTON_STEPS):
            if rest @ rest <= enough:
                break
            diagonal = 1 + g * h
            change = rest / diagonal
            change = change + g * (h @ change) / (1 - g * (h @ (h / diagonal))) * h / diagonal
            for length in 0.5 ** np.arange(20):
                h, found = rest_at(v - length * change)
                if found @ found < rest @ rest:
                    break
            else:
                break
            v, rest = v - length * change, found
        row: Array = v[np.newaxis]
        return row

    return step
