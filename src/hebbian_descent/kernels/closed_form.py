"""Rules whose updates do not depend on the output: the activities are linear in the learning rate.

Hebb's rule and the covariance rule change the weights by p = η·(t or t − ⟨t⟩) at every step, so that one
product with the braces serves all learning rates, and no step waits for another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.compilation import inlined, kept_on_disk
from hebbian_descent.kernels.rows import absolute_error, activate, diverges
from hebbian_descent.kernels.scan import NEVER


@inlined
def first_diverged_step(eta: Any, n_epochs: int, start: Any, within: Any, per_epoch: Any, a: Any) -> int:
    """Return the first step at which an activity diverges, or −1; a is room for one activity per unit."""
    for epoch in range(n_epochs):
        elapsed = start.dtype.type(epoch)
        for step in range(len(start)):
            for unit in range(a.size):
                change = within[step, unit] + elapsed * per_epoch[step, unit]
                a[unit] = start[step, unit] + eta * change
            if diverges(a):
                return epoch * len(start) + step
    return NEVER


@kept_on_disk
def imprint_and_evaluate(
    kind: Any,
    n_epochs: int,
    learning_rates: Any,
    training: Any,
    evaluation: Any,
    errors: Any,
    diverged_at: Any,
    outputs: Any,
) -> None:
    """Run every learning rate over a strip of output units.

    Args:
        kind: The activation.
        n_epochs: The number of passes.
        learning_rates: One per run.
        training: Activities from the initial weights, and what a learning rate of 1 adds to them by the
            steps of the same epoch and by every earlier epoch.
        evaluation: Activities from the initial weights, what each epoch adds to them, and targets.
        errors: Set to Σ|h − t| over the units, (n_runs, n_evaluated); NaN for runs that diverge.
        diverged_at: Set to the first diverged step of each run, or −1.
        outputs: Set to h, (n_runs, n_evaluated, n_units), unless there are no evaluated patterns in it.
    """
    start, within, per_epoch = training
    evaluated_start, evaluated_per_epoch, targets = evaluation
    n_patterns, n_units = targets.shape
    a, h = np.empty(n_units, start.dtype), np.empty(n_units, start.dtype)
    for run in range(len(learning_rates)):
        eta = learning_rates[run]
        diverged_at[run] = first_diverged_step(eta, n_epochs, start, within, per_epoch, a)
        if diverged_at[run] != NEVER:
            errors[run] = np.nan
            continue
        weight = eta * start.dtype.type(n_epochs)
        for pattern in range(n_patterns):
            for unit in range(n_units):
                a[unit] = evaluated_start[pattern, unit] + weight * evaluated_per_epoch[pattern, unit]
            activate(kind, a, h)
            errors[run, pattern] = absolute_error(h, targets[pattern])
            if outputs.shape[1]:
                outputs[run, pattern] = h
