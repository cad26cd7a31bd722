"""Sweeps in one call, from patterns and a grid to a named result, for layers and for auto-encoders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hebbian_descent.engines.base import MEMORY_BUDGET
from hebbian_descent.engines.grid import RateLike
from hebbian_descent.engines.network_grids import AutoencoderGrid, LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.learning.centering import HIDDEN_SHIFT, SHIFT, Centering
from hebbian_descent.learning.constraints import Constraints
from hebbian_descent.learning.noise import Noise
from hebbian_descent.learning.strength import StrengthFunction
from hebbian_descent.measures import MeasureLike
from hebbian_descent.network import Activation
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule
from hebbian_descent.rules.base import ErrorFunction
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep.executors import get_executor
from hebbian_descent.sweep.grid_sweep import Progress, Sweep
from hebbian_descent.sweep.result import SweepResult


def sweep(
    inputs: npt.ArrayLike,
    targets: npt.ArrayLike,
    *,
    rules: str | Rule | Sequence[str | Rule],
    activations: str | Activation | Sequence[str | Activation],
    learning_rates: RateLike | Sequence[RateLike],
    weight_decays: float | Sequence[float] = (0.0,),
    trials: int | Sequence[int] = 10,
    error: str | ErrorTerm | ErrorFunction = "difference",
    centering: Centering = "mean",
    shift: float = SHIFT,
    offset_start: float | None = None,
    epochs: int = 1,
    batch_size: int = 1,
    shuffle: bool | None = None,
    evaluate_on: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    measures: MeasureLike | Sequence[MeasureLike] = ("mae",),
    strength: npt.ArrayLike | StrengthFunction | None = None,
    constraints: Constraints | None = None,
    connectivity: npt.ArrayLike | None = None,
    noise: Noise | None = None,
    recorders: None = None,
    seed: int = 0,
    engine: str = "auto",
    dtype: npt.DTypeLike = np.float64,
    store: Store | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    security: Any = None,
    memory_budget: int = MEMORY_BUDGET,
    progress: Progress | None = None,
) -> SweepResult:
    """Train a network for every point of a grid and every trial, and measure its recall.

    Args:
        inputs: One pattern per row, in the order of learning.
        targets: One per row, as many as inputs.
        rules: Names of `RULES` or `LOCAL_RULES`, or your own rules.
        activations: Names of `ACTIVATIONS`, or your own activations.
        learning_rates: η, one or several; "auto" is computed for each update, see `learning.rates`.
        weight_decays: ω, per update.
        trials: How many, or which ones. Trial 7 is the same alone and among ten.
        error: The error term of Hebbian-descent and gradient descent.
        centering: "mean" fixes the offsets at the mean input, "moving" lets them follow, None turns it off;
            numbers are fixed offsets.
        shift: ν of moving offsets.
        offset_start: Where moving offsets start, 0.5 in the paper; None is the mean of the inputs so far.
        epochs: Passes over the patterns.
        batch_size: Patterns per update, whose changes are averaged.
        shuffle: A new order in each epoch, from (seed, epoch); by default only for batches.
        evaluate_on: Other pairs to measure on, instead of those learned.
        measures: Names of `MEASURES`, or functions of targets and outputs to one number per pattern.
        strength: Factor of the change of each pattern: one number per pattern, or a function of the
            activity.
        constraints: Constraints on the weights, at the start and after every update: names of `CONSTRAINTS`,
            constraints or functions of the weights, applied in order.
        connectivity: Which synapses there are, True or False for each weight.
        noise: `Noise` of synapses or of activity, from (seed, trial, step).
        recorders: Not for sweeps, whose cells may run anywhere: train one of the runs again to record it.
        seed: A whole number that all randomness follows from.
        engine: "auto", "sequence", "stacked" or "reference".
        dtype: float64 or float32.
        store: A folder in which finished cells are kept; a sweep that was stopped resumes from there.
        workers: Run the cells in this many processes; by default in this one.
        scheduler: The address of a Dask scheduler that you trust with your account, or "local".
        security: A `distributed.Security` with certificates, for a scheduler at tls://; by default those of
            Dask's configuration.
        memory_budget: Bytes that the arrays of a cell may take.
        progress: Called with the number of cells done and their total.

    Example:
        >>> result = sweep([[0, 1], [1, 0]], [[1], [0]], rules="hebbian_descent", activations="sigmoid",
        ...                learning_rates=(1.0, 0.1), trials=2)
        >>> result.best(by="all")[0].learning_rate
        1.0
    """
    _refuse_recorders(recorders)
    grid = LayerGrid.of(
        rules=rules,
        activations=activations,
        learning_rates=learning_rates,
        weight_decays=weight_decays,
        trials=trials,
        error=error,
        centering=centering,
        shift=shift,
        offset_start=offset_start,
        epochs=epochs,
        batch_size=batch_size,
        shuffle=shuffle,
        measures=measures,
        strength=strength,
        constraints=constraints,
        connectivity=connectivity,
        noise=noise,
        seed=seed,
        dtype=dtype,
    )
    prepared = Sweep(
        grid, Patterns.of(inputs, targets, evaluate_on), engine=engine, memory_budget=memory_budget
    )
    return _run(prepared, store, workers, scheduler, security, progress)


def sweep_autoencoders(
    inputs: npt.ArrayLike,
    *,
    rules: str | AutoRule | Sequence[str | AutoRule],
    hidden_activations: str | Activation | Sequence[str | Activation],
    output_activations: str | Activation | Sequence[str | Activation],
    n_hidden: int,
    learning_rates: RateLike | Sequence[RateLike],
    centering: Literal["mean"] | None = "mean",
    hidden_shift: float = HIDDEN_SHIFT,
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
        inputs: One pattern per row.
        rules: Names of `AUTO_RULES`, or your own rules.
        hidden_activations: Names of `ACTIVATIONS`, or your own activations.
        output_activations: The same for the output units; all combinations are run.
        n_hidden: The number of hidden units.
        learning_rates: η, one or several; "auto" is computed for each update.
        centering: "mean" fixes the input offset at the mean input and lets the hidden offset follow; None is
            without.
        hidden_shift: By how much the hidden offset follows each batch.
        evaluate_on: Other patterns to measure on, instead of those learned.
        engine: "auto", "tied" or "reference".
        store: A folder in which finished cells are kept; a sweep that was stopped resumes from there.
        workers: Run the cells in this many processes; by default in this one.
        scheduler: The address of a Dask scheduler that you trust with your account, or "local".
        security: A `distributed.Security` with certificates, for a scheduler at tls://; by default those of
            Dask's configuration.
        memory_budget: Bytes that the arrays of a cell may take.
        progress: Called with the number of cells done and their total.
        **grid: `weight_decays`, `trials`, `error`, `epochs`, `batch_size` (100 by default), `shuffle`,
            `measures`, `strength`, `constraints`, `connectivity`, `noise` of the weights, `seed` and `dtype`,
            as for `sweep`.

    The result names the activations hidden/output, such as "sigmoid/linear". Besides the measures it holds
    the mean activity of the hidden units for each pattern, as `hidden_activity`.
    """
    _refuse_recorders(grid.pop("recorders", None))
    checked = AutoencoderGrid.of(
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
    prepared = Sweep(checked, Patterns.of(inputs, inputs, test), engine=engine, memory_budget=memory_budget)
    return _run(prepared, store, workers, scheduler, security, progress)


def _refuse_recorders(recorders: Any) -> None:
    if recorders is not None:
        raise TypeError(
            f"A sweep takes no recorders. Got {recorders!r}: run it without them, then train one run "
            "again by train(…, trial=…, recorders=…) from initial_weights(seed, trial, …)."
        )


def _run(
    prepared: Sweep,
    store: Store | str | None,
    workers: int | None,
    scheduler: str | None,
    security: Any,
    progress: Progress | None,
) -> SweepResult:
    return prepared.run(
        store=Store(store) if isinstance(store, str) else store,
        executor=get_executor(workers=workers, scheduler=scheduler, security=security),
        progress=progress,
    )
