"""The change of the weights by one step or two and the sums of the next, in a single pass over the weights.

Online learning of a wide layer is bound by how fast weights come and go. Taking the last step's outer product
into a row of weights and summing the next input over that row while it is there reads and writes every weight
once a step, instead of reading it twice. Changes p, inputs and sums are tuples with one array a step.

All weights of an output are neighbours, (n_outputs, n_inputs). The sums may be taken in any order, but always
by the same machine code, so that a pattern has the same bits alone and among many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels import rank_one_rows as rows
from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.intrinsics import fused_multiply_add
from hebbian_descent.kernels.rank_one_rows import MOST_ROWS, ROW_BYTES
from hebbian_descent.kernels.rows import inner_product


@inlined
def learn_and_sum(W: Any, p: Any, before: Any, now: Any, sums: Any, ahead: Any) -> None:
    """Set W ← W + Σ p·beforeᵀ and sums = W·now."""
    n_outputs, one, tiny = len(W), W.dtype.type(1), np.finfo(W.dtype).tiny
    n_whole = _in_whole_vectors(now[0])
    for first in range(0, n_outputs - MOST_ROWS + 1, MOST_ROWS):
        rows.learn_five(W, one, p, before, now, sums, ahead, first, n_whole, tiny)
    rest = n_outputs % MOST_ROWS
    first = n_outputs - rest
    if rest == 4:
        rows.learn_four(W, one, p, before, now, sums, ahead, first, n_whole, tiny)
    elif rest == 3:
        rows.learn_three(W, one, p, before, now, sums, ahead, first, n_whole, tiny)
    elif rest == 2:
        rows.learn_two(W, one, p, before, now, sums, ahead, first, n_whole, tiny)
    elif rest == 1:
        rows.learn_one(W, one, p, before, now, sums, ahead, first, n_whole, tiny)
    _learn_and_sum_the_rest(W, one, p, before, now, sums, n_whole)


@inlined
def decay_learn_and_sum(W: Any, keep: Any, p: Any, before: Any, now: Any, sums: Any, ahead: Any) -> None:
    """Set W ← keep·W + Σ p·beforeᵀ and sums = W·now; what fades below full precision becomes 0."""
    n_outputs, tiny = len(W), np.finfo(W.dtype).tiny
    n_whole = _in_whole_vectors(now[0])
    for first in range(0, n_outputs - MOST_ROWS + 1, MOST_ROWS):
        rows.decay_five(W, keep, p, before, now, sums, ahead, first, n_whole, tiny)
    for row in range(n_outputs - n_outputs % MOST_ROWS, n_outputs):
        rows.decay_one(W, keep, p, before, now, sums, ahead, row, n_whole, tiny)
    _learn_and_sum_the_rest(W, keep, p, before, now, sums, n_whole)


@inlined
def _in_whole_vectors(values: Any) -> Any:
    return values.size - values.size % (ROW_BYTES // values.itemsize)


@inlined
def _learn_and_sum_the_rest(
    W: Any, keep: Any, p: Any, before: Any, now: Any, sums: Any, n_whole: int
) -> None:
    """Do the same for the last columns, too few for a vector, and add to the sums."""
    if n_whole == W.shape[1]:
        return
    _decay_and_learn_from(W, keep, p, before, n_whole)
    for step in range(len(now)):
        for row in range(len(W)):
            for i in range(n_whole, W.shape[1]):
                sums[step][row] = fused_multiply_add(W[row, i], now[step][i], sums[step][row])


@inlined
def decay_and_learn(W: Any, keep: Any, p: Any, before: Any) -> None:
    """Set W ← keep·W + Σ p·beforeᵀ, as the passes above do."""
    _decay_and_learn_from(W, keep, p, before, 0)


@inlined
def _decay_and_learn_from(W: Any, keep: Any, p: Any, before: Any, start: int) -> None:
    tiny = np.finfo(W.dtype).tiny
    for row in range(W.shape[0]):
        w = W[row]
        if keep != 1:
            for i in range(start, w.size):
                w[i] *= keep
        for step in range(len(p)):
            x, change = before[step], p[step][row]
            for i in range(start, w.size):
                w[i] = fused_multiply_add(change, x[i], w[i])
        if keep != 1:
            for i in range(start, w.size):
                w[i] = w[i] if abs(w[i]) >= tiny else type(keep)(0)


# Sums are taken in loops that write nothing. A loop that also writes is compiled twice, for arrays that are
# close to each other in memory and for those that are not, and the two would sum in another order.


@inlined
def center(x: Any, offset: Any, centered: Any) -> Any:
    """Set centered = x − μ and return its squared length."""
    for i in range(x.size):
        centered[i] = x[i] - offset[i]
    return inner_product(centered, centered)


@inlined
def move_and_center(offset: Any, last: Any, nu: Any, x: Any, centered: Any) -> Any:
    """Let the offset follow the last input by ν, then do as `center` does; what fades becomes 0."""
    tiny, rest = np.finfo(offset.dtype).tiny, type(nu)(1) - nu
    for i in range(x.size):
        moved = fused_multiply_add(nu, last[i], rest * offset[i])
        moved = moved if abs(moved) >= tiny else type(nu)(0)
        offset[i] = moved
        centered[i] = x[i] - moved
    return inner_product(centered, centered)


@inlined
def center_two(x: Any, offset: Any, nu: Any, centered: Any) -> Any:
    """Center two inputs, the second as if the offset had followed the first by ν.

    Returns both squared lengths and the inner product.
    """
    first, second = x
    for i in range(offset.size):
        difference = first[i] - offset[i]
        centered[0][i] = difference
        centered[1][i] = second[i] - fused_multiply_add(nu, difference, offset[i])
    return (
        inner_product(centered[0], centered[0]),
        inner_product(centered[1], centered[1]),
        inner_product(centered[0], centered[1]),
    )


@inlined
def move(offset: Any, rates: Any, centered: Any) -> None:
    """Let the offset follow centered inputs, each by its rate; what fades becomes 0."""
    tiny = np.finfo(offset.dtype).tiny
    for i in range(offset.size):
        moved = offset[i]
        for step in range(len(rates)):
            moved = fused_multiply_add(rates[step], centered[step][i], moved)
        offset[i] = moved if abs(moved) >= tiny else type(moved)(0)
