"""Many runs as columns of one weight matrix: one matrix product forward and one back, for all of them.

It is the right form for mini-batches and for streams longer than the input is wide. Inputs that are mostly
zero are multiplied without their zeros, and rules that do not look at the output learn once for all runs.

Runs are cut into tiles, each learned by one thread. The compiled products treat every column alike, so a tile
may hold any runs: a trial has the same bits alone and among ten, on any number of threads. NumPy's products
do not guarantee that; without the compiled core a tile holds learning rates of one trial.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise, repeat, starmap

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import VECTOR_BYTES
from hebbian_descent.engines.base import MEMORY_BUDGET, NEVER, CellResult, empty_result
from hebbian_descent.engines.closed_form import Imprint, imprint, imprints, outlook
from hebbian_descent.engines.network_grids import LayerCell, LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.stack import Stack, Tile
from hebbian_descent.engines.stacked_inputs import Schedule, batch_length
from hebbian_descent.native import core
from hebbian_descent.thread_pools import one_thread

FEWEST_COLUMNS = 128
"""Columns of a tile that keep a processor busy with more than reading the inputs."""

BYTES_OF_A_TILE = 2**20
"""Bytes of weights that stay in the second-level cache of one processor."""


def stacked(
    cell: LayerCell,
    grid: LayerGrid,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Run the tiles of a cell, each on one processor."""
    result = empty_result(grid, patterns)
    schedule = Schedule(cell, grid, patterns)
    with one_thread("blas"), ThreadPoolExecutor(threads) as pool:
        plan: list[Tile] = []
        stepwise = np.arange(len(grid.learning_rates))
        if imprints(cell, grid):
            found = imprint(schedule, pool, memory_budget)
            diverged_at, is_certain = outlook(found, schedule)
            result.diverged_at[:] = diverged_at[:, None]
            finite = np.flatnonzero(is_certain & (diverged_at == NEVER))
            plan += tiles(grid, patterns, finite, threads, memory_budget, found)
            stepwise = np.flatnonzero(~is_certain)
        plan += tiles(grid, patterns, stepwise, threads, memory_budget)
        largest = max((len(tile.trials) for tile in plan), default=1)
        at_once = max(threads, memory_budget // 2 // bytes_of(grid, patterns, largest))
        for start in range(0, len(plan), at_once):
            stacks = [Stack(cell, grid, schedule, tile) for tile in plan[start : start + at_once]]
            run_tiles(stacks, schedule, pool, memory_budget, result)
    return result


def run_tiles(
    stacks: list[Stack], schedule: Schedule, pool: Executor, memory_budget: int, result: CellResult
) -> None:
    """Learn and evaluate some tiles side by side; what is prepared for a step serves all of them."""
    if learning := [stack for stack in stacks if stack.tile.imprint is None]:
        n_steps = 0
        for blocks in schedule.blocks(pool, memory_budget):
            deque(pool.map(Stack.learn, learning, repeat(blocks)), maxlen=0)
            n_steps = blocks[-1].first + blocks[-1].n_steps
        deque(pool.map(Stack.finish, learning, repeat(n_steps)), maxlen=0)
    for block in schedule.evaluated_blocks():
        deque(
            pool.map(Stack.evaluate_into, stacks, repeat(result), repeat(block), repeat(memory_budget)),
            maxlen=0,
        )
    for stack in stacks:
        result.diverged_at[stack.tile.rates, stack.tile.trials] = stack.diverged_at


def tiles(
    grid: LayerGrid,
    patterns: Patterns,
    rates: npt.NDArray[np.intp],
    threads: int,
    memory_budget: int,
    found: Imprint | None = None,
) -> Iterator[Tile]:
    """Cut the runs of all trials with some learning rates into tiles."""
    n_trials, n_runs = len(grid.trials), len(grid.trials) * len(rates)
    most = max(1, memory_budget // 4 // bytes_of(grid, patterns))
    if core() is None:
        edges = [
            trial * len(rates) + start for trial in range(n_trials) for start in range(0, len(rates), most)
        ] + [n_runs]
    else:
        edges = tile_edges(grid, patterns, n_runs, threads, most)
    trial_of_run, rate_of_run = np.repeat(np.arange(n_trials), len(rates)), np.tile(rates, n_trials)
    for runs in starmap(slice, pairwise(edges)):
        yield Tile(trial_of_run[runs], rate_of_run[runs], found)


def tile_edges(grid: LayerGrid, patterns: Patterns, n_runs: int, threads: int, most: int) -> list[int]:
    """Return where tiles of the compiled core begin and end: equally wide, and equally many per thread."""
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    in_cache = BYTES_OF_A_TILE // (n_inputs * n_outputs * grid.dtype.itemsize)
    width = max(1, min(most, max(in_cache, FEWEST_COLUMNS // n_outputs)))
    # With enough runs, a unit's columns are whole vectors.
    lanes = VECTOR_BYTES // grid.dtype.itemsize
    grain = lanes if width >= lanes and n_runs >= threads * lanes else 1
    n_grains, at_most = -(-n_runs // grain), width // grain
    n_tiles = min(n_grains, -(-n_grains // (at_most * threads)) * threads)
    return [min(n_runs, n_grains * tile // n_tiles * grain) for tile in range(n_tiles + 1)] if n_runs else []


def bytes_of(grid: LayerGrid, patterns: Patterns, n_runs: int = 1) -> int:
    """Return the memory of stacked runs: the weights, and about six arrays of activities of a batch."""
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    numbers = n_runs * n_outputs * (n_inputs + 6 * batch_length(grid, patterns))
    return int(numbers * grid.dtype.itemsize)
