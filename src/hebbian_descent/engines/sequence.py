"""Online learning of all learning rates and trials over one sequence, without storing any weights.

The activities of a run are sums over the previous steps (`engines.couplings`): D x D couplings, computed once
for all runs, instead of N x M weights for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise, product

import numpy as np

from hebbian_descent.aligned import VECTOR_BYTES
from hebbian_descent.checks import Array
from hebbian_descent.engines.base import MEMORY_BUDGET, NEVER, CellResult, empty_result, measure_into
from hebbian_descent.engines.grid import initial_weights
from hebbian_descent.engines.network_grids import LayerCell, LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.sequence_loop import (
    BlockResult,
    UnitBlock,
    imprint,
    learn_compiled,
    learn_plainly,
    operations_of_epoch,
)
from hebbian_descent.engines.sequence_problem import Problem, calls, problem_of
from hebbian_descent.native import core


def sequence(
    cell: LayerCell,
    grid: LayerGrid,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Learn the patterns once per learning rate and trial, then evaluate with the final weights.

    The result of a trial depends neither on the number of threads nor on which trials run with it.
    """
    result = empty_result(grid, patterns)
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    keeps_outputs = grid.value_names != ("mae",)

    def draw(j: int) -> Array:
        return initial_weights(grid.seed, grid.trials[j], n_inputs, n_outputs, dtype=grid.dtype)

    with workers(threads) as pool:
        problem = problem_of(cell, grid, patterns, pool, memory_budget)
        blocks = unit_blocks(
            n_outputs, problem.n_steps, problem.dtype.itemsize, coupled=not cell.activation.elementwise
        )
        errors_per_trial = result.values[grid.value_names[0]][:, 0].size
        numbers_per_trial = n_inputs * n_outputs + errors_per_trial * (
            len(blocks) + n_outputs * keeps_outputs
        )
        for group in groups_of_trials(range(len(grid.trials)), 8 * numbers_per_trial, memory_budget):
            weights = dict(zip(group, pool.map(draw, group), strict=True))
            run_trials(pool, problem, blocks, weights, keeps_outputs, result)
    return result


def run_trials(
    pool: Executor,
    problem: Problem,
    blocks: Sequence[slice],
    weights: dict[int, Array],
    keeps_outputs: bool,
    result: CellResult,
) -> None:
    """Run some trials, split among threads, and store their results."""
    run = loop_for(problem)
    n_units = blocks[-1].stop - blocks[-1].start
    pieces = calls(len(problem.learning_rates), problem.n_epochs * operations_of_epoch(problem, n_units))
    running = {}
    for trial, W in weights.items():
        parts = [UnitBlock(problem, W, units) for units in blocks]
        for rates in pieces:
            running[trial, rates.start] = [
                pool.submit(run, part, rates, keeps_outputs=keeps_outputs) for part in parts
            ]
    for trial, rates in product(weights, pieces):
        join(result, problem, trial, rates, [part.result() for part in running.pop((trial, rates.start))])


def loop_for(problem: Problem) -> partial[BlockResult]:
    """Return the function that runs a block of output units: closed form, compiled loop or plain twin."""
    if problem.imprinted is not None:
        return partial(imprint)
    compiled = core()
    return partial(learn_plainly) if compiled is None else partial(learn_compiled, compiled)


def join(
    result: CellResult, problem: Problem, trial: int, rates: slice, blocks: Sequence[BlockResult]
) -> None:
    """Join the blocks of units of some runs, always in the same order."""
    steps = np.array([block.diverged_at for block in blocks])  # (n_blocks, n_rates)
    first = np.where(steps == NEVER, np.iinfo(steps.dtype).max, steps).min(axis=0)
    diverged = (steps != NEVER).any(axis=0)
    result.diverged_at[rates, trial] = np.where(diverged, first, NEVER)
    if blocks[0].outputs.size:
        outputs = np.concatenate([block.outputs for block in blocks], axis=2)
        for run in np.flatnonzero(~diverged):
            measure_into(result, rates.start + run, trial, problem.evaluation.targets, outputs[run])
    if "mae" in result.values:
        n_outputs = problem.training.targets.shape[1]
        errors = np.sum([block.errors for block in blocks], axis=0) / n_outputs
        result.values["mae"][rates, trial] = np.where(diverged[:, np.newaxis], np.nan, errors)


@contextmanager
def workers(threads: int) -> Iterator[Executor]:
    """Yield a thread pool that ends as soon as it can after an exception, such as by Ctrl-C."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


MOST_VECTORS = 25
CACHE_BYTES = 256 * 1024  # size of a block of p, all of which each step reads


def unit_blocks(n_units: int, n_steps: int, itemsize: int, *, coupled: bool) -> list[slice]:
    """Cut the output units into blocks of whole vectors that stay in the cache, as even as possible.

    They depend only on the sizes of the problem, never on the number of threads or of trials, so that a run
    gives the same bits alone and among thousands. Coupled units, as in softmax, stay together.
    """
    if coupled:
        return [slice(0, n_units)]
    n_lanes = VECTOR_BYTES // itemsize
    n_vectors = -(-n_units // n_lanes)
    most_vectors = max(1, min(MOST_VECTORS, CACHE_BYTES // (n_steps * VECTOR_BYTES)))
    n_blocks = -(-n_vectors // most_vectors)
    edges = [n_vectors * block // n_blocks * n_lanes for block in range(n_blocks + 1)]
    return [slice(start, min(stop, n_units)) for start, stop in pairwise(edges)]


def groups_of_trials(
    trials: Sequence[int], bytes_per_trial: int, memory_budget: int
) -> Iterator[Sequence[int]]:
    """Yield as many trials at a time as the memory holds, at least one."""
    size = max(1, memory_budget // bytes_per_trial)
    for start in range(0, len(trials), size):
        yield trials[start : start + size]
