"""The plain loop: one run after another, exactly as you would train them by hand."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.base import MEMORY_BUDGET, CellResult, empty_result, measure_into
from hebbian_descent.engines.grid import Grid, GridCell, Rate
from hebbian_descent.engines.patterns import ROWS_AT_ONCE, Patterns
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.run import Training
from hebbian_descent.network import Autoencoder, Layer


def reference(
    cell: GridCell[Any, Any],
    grid: Grid[Any, Any],
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Train every run with `hebbian_descent.learning.run`; it takes any network, rule and error term."""
    result = empty_result(grid, patterns)
    for j, trial in enumerate(grid.trials):
        start = grid.start(cell, patterns, trial)
        targets = patterns.targets if isinstance(start, Layer) else None
        for i, rate in enumerate(grid.learning_rates):
            network = start.copy()
            try:
                training_of(cell, grid, rate, trial).run(
                    network,
                    patterns.inputs,
                    targets,
                    epochs=grid.epochs,
                    strength=grid.conditions.strength,
                )
            except DivergenceError as divergence:
                result.diverged_at[i, j] = divergence.step
                continue
            evaluate_into(result, i, j, network, patterns)
    return result


def training_of(
    cell: GridCell[Any, Any], grid: Grid[Any, Any], learning_rate: Rate, trial: int = 0
) -> Training:
    """Return the settings with which one run is trained, and can be repeated."""
    return Training(
        rule=cell.rule,
        error=grid.error,
        learning_rate=learning_rate,
        weight_decay=cell.weight_decay,
        batch_size=grid.batch_size,
        shuffle=grid.shuffle,
        seed=grid.seed,
        trial=trial,
        **grid.conditions.training,
        **grid.moves,
    )


def evaluate_into(
    result: CellResult,
    rate: int,
    trial: int,
    network: Layer | Autoencoder,
    patterns: Patterns,
    threads: int = 1,
    respond: Callable[[Array], tuple[Array, Array]] | None = None,
) -> None:
    """Measure a run on the evaluated patterns; for an auto-encoder also the mean activity of hidden units.

    `respond`, if given, computes the hidden units and the reconstruction of an auto-encoder faster.
    """
    inputs, targets, dtype = patterns.evaluated_inputs, patterns.evaluated_targets, network.weights.dtype
    can_be_cut = all(measure.sees_one_pattern for measure in result.measures)
    rows_at_once = ROWS_AT_ONCE if can_be_cut else len(inputs)

    def evaluate_from(start: int) -> None:
        rows = slice(start, start + rows_at_once)
        x = inputs[rows].astype(dtype, copy=False)
        t = x if targets is inputs else targets[rows].astype(dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            measure_into(result, rate, trial, t, _output(x, rows), rows)

    def _output(x: Array, rows: slice) -> Array:
        if isinstance(network, Layer):
            return network.forward(x)[1]
        hidden, output = respond(x) if respond else _passed_through(network, x)
        result.values["hidden_activity"][rate, trial, rows] = hidden.mean(axis=1)
        return output

    starts = range(0, len(inputs), rows_at_once)
    if threads == 1 or len(starts) == 1:  # a pool may take as long to start as a network to learn
        for start in starts:
            evaluate_from(start)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(evaluate_from, starts))


def _passed_through(network: Autoencoder, x: Array) -> tuple[Array, Array]:
    hidden = network.infer_hidden(x)[1]
    return hidden, network.infer_inputs(hidden)[1]
