"""The plain loop: one run after another, exactly as a person would train them by hand."""

from __future__ import annotations

import numpy as np

from hebbian_descent.engines.base import MEMORY_BUDGET, CellResult, empty_result, measure_into
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.seeding import initial_weights
from hebbian_descent.engines.setting import Cell, Setting
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.run import DivergenceError, Training
from hebbian_descent.network import Layer


def reference(
    cell: Cell, setting: Setting, patterns: Patterns, *, threads: int = 1, memory_budget: int = MEMORY_BUDGET
) -> CellResult:
    """Train every run with `hebbian_descent.learning.run`; it takes any rule, activation and error term."""
    result = empty_result(setting, patterns)
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    targets = patterns.evaluated_targets.astype(setting.dtype)
    for j, trial in enumerate(setting.trials):
        start = Layer.from_weights(
            initial_weights(setting.seed, trial, n_inputs, n_outputs, dtype=setting.dtype),
            activation=cell.activation,
            offset=setting.offset(patterns),
        )
        for i, learning_rate in enumerate(setting.learning_rates):
            layer = start.copy()
            try:
                training_of(cell, setting, learning_rate).run(
                    layer, patterns.inputs, patterns.targets, epochs=setting.epochs
                )
            except DivergenceError as divergence:
                result.diverged_at[i, j] = divergence.step
                continue
            with np.errstate(over="ignore", invalid="ignore"):
                measure_into(result, i, j, targets, layer.output(patterns.evaluated_inputs))
    return result


def training_of(cell: Cell, setting: Setting, learning_rate: float | Automatic) -> Training:
    """Return the settings with which one run is trained; anyone can redo a run with them."""
    return Training(
        rule=cell.rule,
        error=setting.error,
        learning_rate=learning_rate,
        weight_decay=cell.weight_decay,
        shift=setting.shift,
        running_mean=setting.offset_moves.starts_as_mean,
        batch_size=setting.batch_size,
        shuffle=setting.shuffle,
        seed=setting.seed,
    )
