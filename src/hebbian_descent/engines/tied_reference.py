"""The plain loop for auto-encoders: one run after another, as a person would train them by hand."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.auto_setting import AutoCell, AutoSetting
from hebbian_descent.engines.base import MEMORY_BUDGET, CellResult, empty_result, measure_into
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.seeding import initial_weights
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.run import DivergenceError, Training
from hebbian_descent.measures import MEASURES
from hebbian_descent.network import Autoencoder

ROWS_AT_ONCE = 512  # few enough to stay in the cache from one layer to the next


def new_network(cell: AutoCell, setting: AutoSetting, patterns: Patterns, trial: int) -> Autoencoder:
    """Return the auto-encoder that a trial starts from."""
    n_inputs = patterns.inputs.shape[1]
    return Autoencoder.from_weights(
        initial_weights(setting.seed, trial, n_inputs, setting.n_hidden, dtype=setting.dtype),
        hidden_activation=cell.activation.hidden,
        output_activation=cell.activation.output,
        offset=setting.offset(patterns),
        hidden_offset=setting.hidden_offset,
    )


def training_of(cell: AutoCell, setting: AutoSetting, learning_rate: float | Automatic) -> Training:
    """Return the settings with which one run is trained; anyone can redo a run with them."""
    return Training(
        rule=cell.rule,
        error=setting.error,
        learning_rate=learning_rate,
        weight_decay=cell.weight_decay,
        hidden_shift=setting.hidden_shift if setting.centering else 0.0,
        batch_size=setting.batch_size,
        shuffle=setting.shuffle,
        seed=setting.seed,
    )


def auto_reference(
    cell: AutoCell,
    setting: AutoSetting,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Train every run with `hebbian_descent.learning.run`; it takes any rule, activation and error term."""
    result = empty_result(setting, patterns)
    for j, trial in enumerate(setting.trials):
        for i, learning_rate in enumerate(setting.learning_rates):
            network = new_network(cell, setting, patterns, trial)
            try:
                training_of(cell, setting, learning_rate).run(network, patterns.inputs, epochs=setting.epochs)
            except DivergenceError as divergence:
                result.diverged_at[i, j] = divergence.step
                continue
            evaluate_into(result, i, j, network, patterns)
    return result


def evaluate_into(
    result: CellResult,
    rate: int,
    trial: int,
    network: Autoencoder,
    patterns: Patterns,
    threads: int = 1,
    product: Callable[[slice], Array] | None = None,
) -> None:
    """Measure the reconstruction of the evaluated patterns, and the mean activity of the hidden units.

    `product` is a faster way to (x − μ)W of some of these patterns, if there is one.
    """
    inputs, dtype = patterns.evaluated_inputs, network.weights.dtype
    can_be_cut = all(MEASURES[name].sees_one_pattern for name in result.values.keys() & MEASURES.keys())
    rows_at_once = ROWS_AT_ONCE if can_be_cut else len(inputs)

    def evaluate_from(start: int) -> None:
        rows = slice(start, start + rows_at_once)
        x = inputs[rows].astype(dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            hidden = (
                network.infer_hidden(x)[1]
                if product is None
                else network.hidden_activation(product(rows) + network.bias)
            )
            _, reconstruction = network.infer_inputs(hidden)
            measure_into(result, rate, trial, x, reconstruction, rows)
            result.values["hidden_activity"][rate, trial, rows] = hidden.mean(axis=1)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(evaluate_from, range(0, len(inputs), rows_at_once)))
