"""Bounds on mistakes and regret of online Hebbian-descent, each with the conditions under which it holds.

With the difference as error term the update is a step of online gradient descent on the matching loss, which
is convex in weights and bias. Results on that method therefore hold for Hebbian-descent: docs/theory.md.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import as_count, as_number, as_patterns


def mistake_bound(
    inputs: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike,
    bias: float = 0.0,
    *,
    offset: npt.ArrayLike = 0.0,
    start: float = 0.0,
) -> float:
    """Return the largest number of mistakes of a step unit on patterns that a known unit separates.

    Novikoff (1962): let u = (w, b) be the known unit, γ its margin, the smallest ±(w·(x − μ) + b), and
    R² = max ‖x − μ‖² + 1, where the 1 is the constant input of the bias. A unit that starts with zero weights
    and zero bias makes at most (R‖u‖/γ)² mistakes, however often and in whatever order it sees the patterns,
    one at a time. It must keep its rate and its offset; the size of the rate does not matter.

    From other weights W₀ there is a second term, 2‖u‖‖W₀‖/(γη): mistakes that only undo the start, more of
    them for a smaller rate η. The bound is infinite if the known unit does not separate the patterns.

    Args:
        inputs: One pattern per row.
        targets: 0 or 1 for each.
        weights: w, of the separating unit.
        bias: b, of the separating unit.
        offset: μ, of the learning unit.
        start: ‖W₀‖/η, the length of the first weights and bias of the learning unit over its rate.

    >>> x, t = [[3.0, 0.0], [-3.0, 1.0]], [1, 0]
    >>> round(mistake_bound(x, t, weights=[1.0, 0.0]), 2)
    1.22
    """
    x = as_patterns(inputs, "inputs") - np.asarray(offset, dtype=np.float64)
    t, w = np.asarray(targets, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if t.shape != x.shape[:1] or not np.isin(t, (0, 1)).all():
        raise ValueError(
            f"There must be a target of 0 or 1 for each of {len(x)} patterns. Got {targets!r:.80}."
        )
    if w.shape != x.shape[1:]:
        raise ValueError(f"There must be {x.shape[1]} weights, one for each input. Got shape {w.shape}.")
    undone = as_number(start, "start", at_least=0)
    margin = float(((2 * t - 1) * (x @ w + bias)).min())
    if margin <= 0:
        return inf
    length = sqrt(float(w @ w) + bias**2) / margin
    longest = float((x * x).sum(axis=1).max()) + 1
    return longest * length**2 + 2 * length * undone


def regret_bound(gradient: float, radius: float, steps: int) -> float:
    """Return G·D·√T, a bound on how much the summed loss exceeds that of the best fixed network.

    Zinkevich (2003): T steps of rate `regret_rate` from zero weights, every gradient at most G long, the best
    network no further than D from zero, the patterns in any order. For units with outputs and
    targets in [0, 1] the gradient is at most max √(‖x − μ‖² + 1) long; for linear units it has no bound.
    """
    g, d = as_number(gradient, "length of the gradient", above=0), as_number(radius, "radius", above=0)
    return g * d * sqrt(as_count(steps, "number of steps"))


def regret_rate(gradient: float, radius: float, steps: int) -> float:
    """Return η = D/(G√T), the rate for which `regret_bound` holds: the longer the stream, the smaller."""
    return as_number(radius, "radius", above=0) / regret_bound(gradient, 1.0, steps)
