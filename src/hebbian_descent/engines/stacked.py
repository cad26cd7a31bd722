"""Many runs as columns of one weight matrix: one matrix product forward and one back, for all of them.

It is the right form for mini-batches and for streams longer than the input is wide. Inputs that are mostly
zero are multiplied without their zeros, and rules that do not look at the output learn once for all runs. A
tile holds the learning rates of one trial, or a part of them where memory is short. Where they are few, it
holds those of several trials, if the products are compiled: they treat every column alike, which a BLAS does
not promise. So a trial alone has the bits it has among ten, on any number of threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import repeat

import numpy as np
from threadpoolctl import threadpool_limits

from hebbian_descent.engines.base import MEMORY_BUDGET, NEVER, CellResult, empty_result
from hebbian_descent.engines.closed_form import Imprint, imprint, imprints, outlook
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.setting import Cell, Setting
from hebbian_descent.engines.stack import Stack, Tile, kind_of
from hebbian_descent.engines.stacked_steps import Steps

COLUMNS_OF_A_TILE = 128
"""So many keep a processor busy with more than reading the inputs; with more, another might be idle."""


def stacked(
    cell: Cell, setting: Setting, patterns: Patterns, *, threads: int = 1, memory_budget: int = MEMORY_BUDGET
) -> CellResult:
    """Run the tiles of a cell, each on one processor."""
    result = empty_result(setting, patterns)
    steps = Steps(setting, patterns, is_compiled=kind_of(cell, setting) is not None)
    # One BLAS thread a tile: a product split over threads may round differently.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        plan: list[Tile] = []
        stepwise = list(range(len(setting.learning_rates)))
        if imprints(cell, setting):
            found = imprint(cell, setting, steps, pool, memory_budget)
            diverged_at, is_certain = outlook(found, setting, steps)
            result.diverged_at[:] = diverged_at[:, None]
            finite = np.flatnonzero(is_certain & (diverged_at == NEVER)).tolist()
            plan += tiles(setting, steps, memory_budget, finite, found)
            stepwise = np.flatnonzero(~is_certain).tolist()
        plan += tiles(setting, steps, memory_budget, stepwise)
        most = memory_budget // 2 // bytes_of(setting, patterns, len(setting.learning_rates))
        at_once = max(threads, most)
        for start in range(0, len(plan), at_once):
            stacks = [Stack(cell, setting, steps, tile) for tile in plan[start : start + at_once]]
            run_tiles(stacks, steps, pool, memory_budget, result)
    return result


def run_tiles(
    stacks: list[Stack], steps: Steps, pool: Executor, memory_budget: int, result: CellResult
) -> None:
    """Learn and evaluate some tiles side by side; what is prepared for a step serves all of them."""
    if learning := [stack for stack in stacks if stack.tile.imprint is None]:
        for prepared in steps.prepared(pool, memory_budget):
            deque(pool.map(Stack.learn, learning, repeat(prepared)), maxlen=0)
    deque(pool.map(Stack.evaluate_into, stacks, repeat(result), repeat(memory_budget)), maxlen=0)


def tiles(
    setting: Setting, steps: Steps, memory_budget: int, rates: list[int], found: Imprint | None = None
) -> Iterator[Tile]:
    """Cut the runs into tiles; the plan follows from the setting, the patterns and the budget alone."""
    n_trials, patterns = len(setting.trials), steps.pairs
    width = max(1, memory_budget // 4 // bytes_of(setting, patterns))
    if n_trials == 1 and steps.treat_columns_alike:  # two tiles, for two processors
        width = min(width, max(COLUMNS_OF_A_TILE // patterns.targets.shape[1], -(-len(rates) // 2)))
    for start in range(0, len(rates), width):
        some = rates[start : start + width]
        columns_of_trial = len(some) * patterns.targets.shape[1]
        most = (
            min(COLUMNS_OF_A_TILE // columns_of_trial, width // len(some)) if steps.treat_columns_alike else 1
        )
        n_tiles = -(-n_trials // max(1, most))
        for tile in range(n_tiles):
            trials = range(n_trials * tile // n_tiles, n_trials * (tile + 1) // n_tiles)
            yield Tile(list(trials), some, found)


def bytes_of(setting: Setting, patterns: Patterns, n_runs: int = 1) -> int:
    """Return what stacked runs hold: the weights, and about six arrays of activities of a batch."""
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    numbers = n_runs * n_outputs * (n_inputs + 6 * setting.batch_size)
    return int(numbers * setting.dtype.itemsize)
