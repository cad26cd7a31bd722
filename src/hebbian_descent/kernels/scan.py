"""Learning step after step: the runs of all learning rates over one strip of output units of one trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.compilation import inlined, kept_on_disk
from hebbian_descent.kernels.panel_product import BLOCK_ROWS, add_product
from hebbian_descent.kernels.rows import absolute_error, activate
from hebbian_descent.kernels.steps import learn_step

NEVER = -1


@inlined
def learn(
    kind: Any,
    pulls_back: bool,
    eta: Any,
    n_epochs: int,
    training: Any,
    rows: Any,
    summed: Any,
    activities: Any,
) -> int:
    """Set `summed` to Σ p = −η·post over the epochs, per pattern; return the first diverged step or −1.

    A block of activities is one product with the steps before it; each of its steps adds to the next ones.
    In later epochs every pattern has been learned before, and the product runs over all of them.
    """
    brace, start, targets = training
    n_patterns = len(targets)
    changes, h = rows  # p of the steps of this block, and room for outputs
    summed[:] = 0
    changes[:] = 0
    zero = start.dtype.type(0)
    for epoch in range(n_epochs):
        for block in range(0, n_patterns, BLOCK_ROWS):
            end = min(block + BLOCK_ROWS, n_patterns)
            n_learned = block if epoch == 0 else n_patterns
            add_product(
                activities[block:end], start[block:end], brace[block:end, :n_learned], summed[:n_learned]
            )
            for step in range(block, end):
                n_earlier = step - block
                if n_earlier % 2 == 0:
                    pair = activities[step : min(step + 2, end)]
                    weights = brace[step : min(step + 2, end), block:step]
                    add_product(pair, pair, weights, changes[:n_earlier])
                weight = brace[step, step - 1] if n_earlier % 2 else zero
                a, p, previous = activities[step], changes[n_earlier], changes[n_earlier - 1]
                if learn_step(kind, pulls_back, eta, weight, previous, a, h, targets[step], p, summed[step]):
                    return int(epoch * n_patterns + step)
    return NEVER


@inlined
def evaluate(
    kind: Any,
    brace: Any,
    triangular: bool,
    start: Any,
    targets: Any,
    summed: Any,
    rows: Any,
    errors: Any,
    outputs: Any,
) -> None:
    """Set `errors` to Σ|h − t| per evaluated pattern, and `outputs` to h unless it has no rows.

    A triangular brace has nothing to add from the steps before each pattern.
    """
    n_patterns, n_units = targets.shape
    activities, h = rows
    for block in range(0, n_patterns, BLOCK_ROWS):
        end = min(block + BLOCK_ROWS, n_patterns)
        first = block if triangular else 0
        add_product(activities[: end - block], start[block:end], brace[block:end, first:], summed[first:])
        for pattern in range(block, end):
            activate(kind, activities[pattern - block, :n_units], h)
            errors[pattern] = absolute_error(h, targets[pattern])
            if len(outputs):
                for unit in range(n_units):
                    outputs[pattern, unit] = h[unit]


@kept_on_disk
def learn_and_evaluate(
    kind: Any,
    pulls_back: bool,
    n_epochs: int,
    continues: bool,
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
        pulls_back: Whether the error is pulled back through the activation before it is learned.
        n_epochs: The number of passes; for more than one the training brace must be a full matrix.
        continues: Whether each evaluated activity is the learned one plus what the steps from then on add.
        learning_rates: One per run.
        training: Brace, activities from the initial weights and targets of the training steps, the latter in
            whole panels.
        evaluation: The same for the evaluated patterns, with targets of the units alone.
        errors: Set to Σ|h − t| over the units, (n_runs, n_evaluated); NaN for runs that diverge.
        diverged_at: Set to the first diverged step of each run, or −1.
        outputs: Set to h, (n_runs, n_evaluated, n_units), unless there are no evaluated patterns in it.
    """
    summed, activities = np.empty_like(training[1]), np.empty_like(training[1])
    brace, start, targets = evaluation
    rows = np.empty((BLOCK_ROWS, start.shape[1]), start.dtype), np.empty(targets.shape[1], start.dtype)
    for run in range(len(learning_rates)):
        eta = learning_rates[run]
        diverged_at[run] = learn(kind, pulls_back, eta, n_epochs, training, rows, summed, activities)
        if diverged_at[run] == NEVER:
            begun = activities if continues else start
            evaluate(kind, brace, continues, begun, targets, summed, rows, errors[run], outputs[run])
        else:
            errors[run] = np.nan


@kept_on_disk
def initial_activities(effective_inputs: Any, weights: Any, out: Any) -> None:
    """Set out = effective_inputs @ weights, columns in whole panels."""
    out[:] = 0
    for block in range(0, len(out), BLOCK_ROWS):
        rows = out[block : block + BLOCK_ROWS]
        add_product(rows, rows, effective_inputs[block : block + BLOCK_ROWS], weights)
