"""The steps of an auto-encoder with tied weights, one batch each, on one thread or on two.

Both halves are always computed as halves, one after the other if there is one thread, so that the bits do
not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any

from hebbian_descent.kernels.compilation import kept_on_disk
from hebbian_descent.kernels.meeting import meet
from hebbian_descent.kernels.tied_encoding import encode
from hebbian_descent.kernels.tied_learning import (
    activate,
    decode,
    flush_subnormal,
    learn_to_encode,
    move_hidden_offset,
    pull_back,
)

STEPS_BETWEEN_FLUSHES = 16
NEVER = -1


@kept_on_disk
def learn_in_batches(
    first: int,
    last: int,
    meeting: Any,
    functions: Any,
    rates: Any,
    parameters: Any,
    work: Any,
    inputs: Any,
    order: Any,
    batch_size: int,
    n_steps_before: int,
) -> int:
    """Do the halves from `first` to `last` of every step; return the step that diverged, or −1.

    Steps are counted from 0. What the last one did to the outputs is to be found in the workspace. All
    threads return the same, unless the meeting is broken off.
    """
    n_hidden = parameters.weights.shape[1]
    for step in range((order.size + batch_size - 1) // batch_size):
        rows = order[step * batch_size : (step + 1) * batch_size]
        n = rows.size
        for half in range(first, last):
            encode(half, functions, rates, parameters, work, inputs, rows)
        if not meet(meeting):
            return NEVER
        if work.n_diverging[:, 1].any():  # since the step before
            return step - 1
        for half in range(first, last):
            activate(half, functions, parameters, work, n)
        if not meet(meeting):
            return NEVER
        if work.n_diverging[:, 0].any():
            return step
        for half in range(first, last):
            decode(half, functions, rates, parameters, work, n)
        if rates.follows_gradient:
            if not meet(meeting):
                return NEVER
            for half in range(first, last):
                pull_back(half, functions, work, n, n_hidden)
            if not meet(meeting):
                return NEVER
            for half in range(first, last):
                learn_to_encode(half, functions, rates, parameters, work, n)
        for half in range(first, last):
            if rates.keep != 1 and (n_steps_before + step) % STEPS_BETWEEN_FLUSHES == 0:
                flush_subnormal(half, rates, parameters)
            if rates.hidden_shift != 0:
                move_hidden_offset(half, rates, parameters, work, n)
    return NEVER
