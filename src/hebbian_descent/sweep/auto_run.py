"""One call for auto-encoders: patterns and a grid in, a named result out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy.typing as npt

from hebbian_descent.engines.auto_setting import AutoSetting
from hebbian_descent.engines.base import MEMORY_BUDGET
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.network import Activation
from hebbian_descent.rules import AutoRule
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep.executors import get_executor
from hebbian_descent.sweep.prepared import Progress, Sweep
from hebbian_descent.sweep.result import SweepResult


def sweep_autoencoders(
    inputs: npt.ArrayLike,
    *,
    rules: str | AutoRule | Sequence[str | AutoRule],
    hidden_activations: str | Activation | Sequence[str | Activation],
    output_activations: str | Activation | Sequence[str | Activation],
    n_hidden: int,
    learning_rates: float | Sequence[float],
    centering: Literal["mean"] | None = "mean",
    hidden_shift: float = 0.01,
    evaluate_on: npt.ArrayLike | None = None,
    engine: str = "auto",
    store: Store | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    security: Any = None,
    memory_budget: int = MEMORY_BUDGET,
    progress: Progress | None = None,
    **grid: Any,
) -> SweepResult:
    """Train a tied auto-encoder for every point of a grid and every trial, and measure its reconstruction.

    Args:
        inputs: One pattern a row.
        rules: Names of `AUTO_RULES`, or rules of your own.
        hidden_activations: Names of `ACTIVATIONS`, or activations of your own.
        output_activations: The same for the output units; all combinations are run.
        n_hidden: The number of hidden units.
        learning_rates: η, one or several.
        centering: "mean" fixes the input offset at the mean input and lets the hidden offset follow; None is
            without.
        hidden_shift: By how much the hidden offset follows each batch.
        evaluate_on: Other patterns to measure on, instead of those learned.
        engine: "auto", "fused" or "auto_reference".
        store: A folder in which finished cells are kept; a sweep that was stopped resumes from there.
        workers: Run the cells in so many processes; by default in this one.
        scheduler: The address of a Dask scheduler that you trust with your account, or "local".
        security: A `distributed.Security` with certificates, for a scheduler at tls://; by default those of
            Dask's configuration.
        memory_budget: Bytes that the arrays of a cell may take.
        progress: Called with the number of cells done and their total.
        **grid: `weight_decays`, `trials`, `error`, `epochs`, `batch_size` (100 by default), `shuffle`,
            `measures`, `seed` and `dtype`, as for `sweep`.

    The result names the activations hidden/output, as "sigmoid/linear", and holds besides the measures the
    mean activity of the hidden units for each pattern, as `hidden_activity`.
    """
    setting = AutoSetting.of(
        rules=rules,
        hidden_activations=hidden_activations,
        output_activations=output_activations,
        n_hidden=n_hidden,
        learning_rates=learning_rates,
        centering=centering,
        hidden_shift=hidden_shift,
        **grid,
    )
    test = None if evaluate_on is None else (evaluate_on, evaluate_on)
    prepared = Sweep(setting, Patterns.of(inputs, inputs, test), engine=engine, memory_budget=memory_budget)
    return prepared.run(
        store=Store(store) if isinstance(store, str) else store,
        executor=get_executor(workers=workers, scheduler=scheduler, security=security),
        progress=progress,
    )
