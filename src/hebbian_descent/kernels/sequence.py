"""Many runs of online learning at once: all learning rates and trials over the same sequence of patterns.

The weights of a run are never formed. Its activities are sums over the steps before (`kernels.braces`), and
what is common to all runs is computed once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import product

import numpy as np
import numpy.typing as npt

from hebbian_descent.kernels.activations import Softmax
from hebbian_descent.kernels.braces import Array
from hebbian_descent.kernels.plan import groups_of_trials, pieces_of_rates, strips_of_units
from hebbian_descent.kernels.preparation import Prepared, prepare
from hebbian_descent.kernels.scan import NEVER
from hebbian_descent.kernels.specification import OnlineLearning, SequenceResult
from hebbian_descent.kernels.strip import StripResult, run_strip

InitialWeights = Sequence[Array] | Array | Callable[[int], Array]


def run_sequence(
    learning: OnlineLearning,
    inputs: npt.ArrayLike,
    targets: npt.ArrayLike,
    *,
    initial_weights: InitialWeights,
    learning_rates: npt.ArrayLike,
    trials: Sequence[int] | None = None,
    evaluated: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    outputs_of: Collection[tuple[int, int]] = (),
    threads: int | None = None,
    memory_budget: int = 2**30,
) -> SequenceResult:
    """Learn the patterns once per learning rate and trial, then evaluate with the final weights.

    The result does not depend on the number of threads, nor a trial on which others are run with it, as long
    as BLAS is held to one thread of its own, as sweeps do.

    Args:
        learning: The rule, the activation, the offsets and so on.
        inputs: One pattern a row, in the order of learning.
        targets: One a row.
        initial_weights: One matrix (n_inputs, n_outputs) per trial, or a function that makes the matrix of a
            trial when it is needed.
        learning_rates: η of the runs of each trial.
        trials: Which trials to run; needed where `initial_weights` is a function.
        evaluated: Inputs and targets to evaluate; the learned ones if not given.
        outputs_of: Runs whose outputs are wanted, as (index of the learning rate, index in `trials`).
        threads: The number of threads, at most one per processor if not given.
        memory_budget: Bytes that braces, weights and unfinished sums may take together.
    """
    x, t = _as_pair(inputs, targets)
    rates = np.atleast_1d(np.asarray(learning_rates, dtype=np.float64))
    questions = None if evaluated is None else _as_pair(*evaluated)
    prepared = prepare(learning, x, t, questions, rates, memory_budget)
    trials = _chosen_trials(initial_weights, trials)
    weights_of = initial_weights if callable(initial_weights) else initial_weights.__getitem__
    coupled = isinstance(prepared.kind, Softmax)
    strips = strips_of_units(t.shape[1], len(prepared.targets), prepared.targets.itemsize, coupled=coupled)
    pieces = pieces_of_rates(len(rates), prepared.n_epochs * len(x))
    result = SequenceResult(
        errors=np.empty((len(rates), len(trials), len(prepared.evaluated_targets))),
        diverged_at=np.empty((len(rates), len(trials)), dtype=np.int64),
        outputs={},
    )
    errors_per_trial = result.errors[:, 0].size
    numbers_per_trial = x.shape[1] * t.shape[1] + errors_per_trial * (
        len(strips) + t.shape[1] * bool(outputs_of)
    )
    with ThreadPoolExecutor(threads or _usable_processors()) as pool:
        for group in groups_of_trials(range(len(trials)), 8 * numbers_per_trial, memory_budget):
            drawn = pool.map(weights_of, [trials[trial] for trial in group])
            weights = {trial: _checked(W, x, t) for trial, W in zip(group, drawn, strict=True)}
            _run_group(pool, prepared, strips, pieces, weights, outputs_of, result)
    result.errors[:] /= t.shape[1]
    return result


def _run_group(
    pool: Executor,
    prepared: Prepared,
    strips: list[slice],
    pieces: list[slice],
    weights: dict[int, Array],
    outputs_of: Collection[tuple[int, int]],
    result: SequenceResult,
) -> None:
    kept = {trial: [rate for rate, other in outputs_of if other == trial] for trial in weights}
    running = {
        (trial, rates.start, units.start): pool.submit(
            run_strip, prepared, W, units, rates, keep_outputs=bool(kept[trial])
        )
        for trial, W in weights.items()
        for rates in pieces
        for units in strips
    }
    for trial, rates in product(weights, pieces):
        joined = [running[trial, rates.start, units.start].result() for units in strips]
        _join(result, trial, rates, joined, kept[trial])


def _join(
    result: SequenceResult, trial: int, rates: slice, strips: list[StripResult], kept: list[int]
) -> None:
    """Join the strips of a trial, always in the same order."""
    result.errors[rates, trial] = np.sum([strip.errors for strip in strips], axis=0)
    steps = np.array([strip.diverged_at for strip in strips])
    first = np.where(steps < 0, np.iinfo(steps.dtype).max, steps).min(axis=0)
    result.diverged_at[rates, trial] = np.where((steps < 0).all(axis=0), NEVER, first)
    for rate in kept:
        if rates.start <= rate < rates.stop:
            outputs = [strip.outputs[rate - rates.start] for strip in strips]
            result.outputs[rate, trial] = np.concatenate(outputs, axis=1)


def _as_pair(inputs: npt.ArrayLike, targets: npt.ArrayLike) -> tuple[Array, Array]:
    x, t = np.asarray(inputs, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    if x.ndim != 2 or t.ndim != 2 or len(x) != len(t):
        raise ValueError(
            f"Inputs and targets must have one pattern a row each. Got shapes {x.shape} and {t.shape}."
        )
    return x, t


def _chosen_trials(initial_weights: InitialWeights, trials: Sequence[int] | None) -> Sequence[int]:
    if trials is not None:
        return trials
    if callable(initial_weights):
        raise ValueError(
            "Where the initial weights are a function, `trials` must say which to run. Got none."
        )
    return range(len(initial_weights))


def _checked(weights: Array, inputs: Array, targets: Array) -> Array:
    expected = (inputs.shape[1], targets.shape[1])
    if weights.shape != expected:
        raise ValueError(f"The initial weights must have shape {expected}. Got {weights.shape}.")
    return weights


def _usable_processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
