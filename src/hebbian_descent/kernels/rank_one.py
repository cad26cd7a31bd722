"""One step's change of the weights and the next step's sums, in a single pass over the weights.

Online learning of a wide layer is bound by how fast weights come and go. Taking the last step's outer product
into a row of weights and summing the next input over that row while it is there reads and writes every weight
once a step, instead of reading it twice.

All weights of an output are neighbours, (n_outputs, n_inputs). The sums may be taken in any order, but always
by the same machine code, so that a pattern has the same bits alone and among many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.compilation import contracted, inlined
from hebbian_descent.kernels.intrinsics import fused_multiply_add

FEW_OUTPUTS = 64
"""Weights of so many outputs stay near: five rows at once are then the fastest, else four (measured)."""


@inlined
def learn_and_sum(W: Any, p: Any, before: Any, now: Any, sums: Any) -> None:
    """Set W ← W + p·beforeᵀ and sums = W·now."""
    n_outputs = W.shape[0]
    n_rows = 5 if n_outputs <= FEW_OUTPUTS else 4
    blocks = n_outputs - n_outputs % n_rows
    for first in range(0, blocks, n_rows):
        rows = slice(first, first + n_rows)
        if n_rows == 5:
            _learn_and_sum_five(W[rows], p[rows], before, now, sums[rows])
        else:
            _learn_and_sum_four(W[rows], p[rows], before, now, sums[rows])
    for row in range(blocks, n_outputs):
        sums[row] = _learn_and_sum_one(W[row], p[row], before, now)


@contracted
def _learn_and_sum_five(W: Any, p: Any, before: Any, now: Any, sums: Any) -> None:
    p0, p1, p2, p3, p4 = p[0], p[1], p[2], p[3], p[4]
    a0 = a1 = a2 = a3 = a4 = type(p0)(0)
    for i in range(now.size):
        x, y = before[i], now[i]
        w = fused_multiply_add(p0, x, W[0, i])
        W[0, i] = w
        a0 += w * y
        w = fused_multiply_add(p1, x, W[1, i])
        W[1, i] = w
        a1 += w * y
        w = fused_multiply_add(p2, x, W[2, i])
        W[2, i] = w
        a2 += w * y
        w = fused_multiply_add(p3, x, W[3, i])
        W[3, i] = w
        a3 += w * y
        w = fused_multiply_add(p4, x, W[4, i])
        W[4, i] = w
        a4 += w * y
    sums[0], sums[1], sums[2], sums[3], sums[4] = a0, a1, a2, a3, a4


@contracted
def _learn_and_sum_four(W: Any, p: Any, before: Any, now: Any, sums: Any) -> None:
    p0, p1, p2, p3 = p[0], p[1], p[2], p[3]
    a0 = a1 = a2 = a3 = type(p0)(0)
    for i in range(now.size):
        x, y = before[i], now[i]
        w = fused_multiply_add(p0, x, W[0, i])
        W[0, i] = w
        a0 += w * y
        w = fused_multiply_add(p1, x, W[1, i])
        W[1, i] = w
        a1 += w * y
        w = fused_multiply_add(p2, x, W[2, i])
        W[2, i] = w
        a2 += w * y
        w = fused_multiply_add(p3, x, W[3, i])
        W[3, i] = w
        a3 += w * y
    sums[0], sums[1], sums[2], sums[3] = a0, a1, a2, a3


@contracted
def _learn_and_sum_one(w: Any, p: Any, before: Any, now: Any) -> Any:
    total = type(p)(0)
    for i in range(now.size):
        w[i] = fused_multiply_add(p, before[i], w[i])
        total += w[i] * now[i]
    return total


@contracted
def decay_learn_and_sum(W: Any, keep: Any, p: Any, before: Any, now: Any, sums: Any) -> None:
    """Set W ← keep·W + p·beforeᵀ and sums = W·now; what fades below full precision becomes 0."""
    tiny = np.finfo(W.dtype).tiny
    for row in range(W.shape[0]):
        w, change = W[row], p[row]
        total = type(change)(0)
        for i in range(now.size):
            weight = fused_multiply_add(change, before[i], keep * w[i])
            weight = weight if abs(weight) >= tiny else type(change)(0)
            w[i] = weight
            total += weight * now[i]
        sums[row] = total


@inlined
def decay_and_learn(W: Any, keep: Any, p: Any, before: Any) -> None:
    """Set W ← keep·W + p·beforeᵀ, as the passes above do."""
    tiny = np.finfo(W.dtype).tiny
    for row in range(W.shape[0]):
        w, change = W[row], p[row]
        if keep == 1:
            for i in range(w.size):
                w[i] = fused_multiply_add(change, before[i], w[i])
        else:
            for i in range(w.size):
                weight = fused_multiply_add(change, before[i], keep * w[i])
                w[i] = weight if abs(weight) >= tiny else type(change)(0)


@contracted
def center(x: Any, offset: Any, centered: Any) -> Any:
    """Set centered = x − μ and return its squared length."""
    squares = type(centered[0])(0)
    for i in range(x.size):
        difference = x[i] - offset[i]
        centered[i] = difference
        squares += difference * difference
    return squares


@contracted
def move_and_center(offset: Any, last: Any, nu: Any, x: Any, centered: Any) -> Any:
    """Let the offset follow the last input by ν, then do as `center` does; what fades becomes 0."""
    tiny, rest = np.finfo(offset.dtype).tiny, type(nu)(1) - nu
    squares = type(nu)(0)
    for i in range(x.size):
        moved = fused_multiply_add(nu, last[i], rest * offset[i])
        moved = moved if abs(moved) >= tiny else type(nu)(0)
        offset[i] = moved
        difference = x[i] - moved
        centered[i] = difference
        squares += difference * difference
    return squares
