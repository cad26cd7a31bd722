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
    room: Any,
) -> int:
    """Set the sums to Σ p = −η·post over the epochs, per pattern; return the first diverged step or −1.

    A block of activities is one product with the steps before it; each of its steps adds to the next ones.
    In later epochs every pattern has been learned before, and the product runs over all of them.
    """
    brace, start, targets = training
    summed, activities, changes, h = room
    n_patterns = len(targets)
    summed[:] = 0
    for epoch in range(n_epochs):
        for block in range(0, n_patterns, BLOCK_ROWS):
            end = min(block + BLOCK_ROWS, n_patterns)
            n_learned = block if epoch == 0 else n_patterns
            rows = activities[block:end]
            add_product(rows, start[block:end], brace[block:end, :n_learned], summed[:n_learned])
            for step in range(block, end):
                weights, earlier = brace[step, block:step], changes[: step - block]
                a, p = rows[step - block], changes[step - block]
                if learn_step(kind, pulls_back, eta, weights, earlier, a, h, targets[step], p, summed[step]):
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
    room: Any,
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
        room: Panels for the sums and the activities of the training steps and for a block of changes, and
            numbers for the outputs of a step.
        errors: Set to Σ|h − t| over the units, (n_runs, n_evaluated); NaN for runs that diverge.
        diverged_at: Set to the first diverged step of each run, or −1.
        outputs: Set to h, (n_runs, n_evaluated, n_units), unless there are no evaluated patterns in it.
    """
    brace, start, targets = evaluation
    summed, activities, block, h = room
    for run in range(len(learning_rates)):
        eta = learning_rates[run]
        diverged_at[run] = learn(kind, pulls_back, eta, n_epochs, training, room)
        if diverged_at[run] == NEVER:
            begun = activities if continues else start
            evaluate(kind, brace, continues, begun, targets, summed, (block, h), errors[run], outputs[run])
        else:
            errors[run] = np.nan
