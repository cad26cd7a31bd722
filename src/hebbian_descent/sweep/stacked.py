"""Many runs as columns of one weight matrix: one matrix product forward and one back, for all of them.

It is the right form for mini-batches and for streams longer than the input is wide. A tile holds the learning
rates of one trial (or a part of them, where memory is short); its arithmetic does not depend on which other
tiles there are, nor on the number of threads, so that a trial alone has the bits it has among ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from hebbian_descent.checks import Array
from hebbian_descent.network.offsets import flush_subnormal, moving_average
from hebbian_descent.rules.base import Activity
from hebbian_descent.sweep.engine import MEMORY_BUDGET, NEVER, CellResult, empty_result, measure_into
from hebbian_descent.sweep.patterns import Patterns
from hebbian_descent.sweep.seeding import initial_weights
from hebbian_descent.sweep.setting import Cell, Setting
from hebbian_descent.training import LARGEST_PREACTIVATION, batches, epoch_order

STEPS_BETWEEN_FLUSHES = 16  # a pass over all weights; what fades takes longer than that to slow anything down


class Tile(NamedTuple):
    """The runs that are stacked: some learning rates of one trial, both by their place in the setting."""

    trial: int
    rates: slice


def stacked(
    cell: Cell, setting: Setting, patterns: Patterns, *, threads: int = 1, memory_budget: int = MEMORY_BUDGET
) -> CellResult:
    """Run the tiles of a cell, each on one processor."""
    result = empty_result(setting, patterns)
    data = Patterns(*(array.astype(setting.dtype, copy=False) for array in vars_of(patterns)))

    def run(tile: Tile) -> None:
        stack = Stack(cell, setting, data, tile)
        stack.learn()
        stack.evaluate_into(result, memory_budget)

    # One BLAS thread a tile: a product split over threads may round differently.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(run, tiles(setting, patterns, memory_budget)):
            pass
    return result


def vars_of(patterns: Patterns) -> tuple[Array, Array, Array, Array]:
    """Return the four arrays of the patterns."""
    return patterns.inputs, patterns.targets, patterns.evaluated_inputs, patterns.evaluated_targets


def tiles(setting: Setting, patterns: Patterns, memory_budget: int) -> Iterator[Tile]:
    """Cut the runs into tiles; the plan follows from the setting and the budget alone."""
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    # The weights and their change, and about six arrays of activities of a batch.
    bytes_per_run = setting.dtype.itemsize * n_outputs * (2 * n_inputs + 6 * setting.batch_size)
    n_rates = len(setting.learning_rates)
    width = max(1, min(n_rates, memory_budget // 4 // bytes_per_run))
    for trial in range(len(setting.trials)):
        for start in range(0, n_rates, width):
            yield Tile(trial, slice(start, min(start + width, n_rates)))


class Stack:
    """Runs that differ in their learning rate alone, side by side in one matrix of weights."""

    def __init__(self, cell: Cell, setting: Setting, patterns: Patterns, tile: Tile) -> None:
        self.cell, self.setting, self.patterns, self.tile = cell, setting, patterns, tile
        dtype = setting.dtype
        self.eta = np.array(setting.learning_rates[tile.rates], dtype)[:, None]  # (n_runs, 1)
        n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
        trial = setting.trials[tile.trial]
        start = initial_weights(setting.seed, trial, n_inputs, n_outputs, dtype=dtype)
        self.weights = np.tile(start, (1, len(self.eta)))
        self.change = np.empty_like(self.weights)
        self.bias = np.zeros(self.weights.shape[1], dtype)
        self.offset = setting.offset(patterns).astype(dtype)
        self.means = patterns.inputs.mean(axis=0), patterns.targets.mean(axis=0)
        self.diverged_at = np.full(len(self.eta), NEVER, dtype=np.int64)

    def learn(self) -> None:
        """Show all patterns to all runs, epoch by epoch."""
        setting, n_patterns = self.setting, len(self.patterns.inputs)
        step = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for epoch in range(setting.epochs):
                order = np.arange(n_patterns)
                if setting.shuffle:
                    order = epoch_order(n_patterns, setting.seed, epoch)
                for rows in batches(order, setting.batch_size):
                    self._update(self.patterns.inputs[rows], self.patterns.targets[rows], step)
                    step += 1
        not_finite = ~np.isfinite(self.weights).all(axis=0).reshape(len(self.eta), -1).all(axis=1)
        self.diverged_at[not_finite & (self.diverged_at == NEVER)] = step

    def _update(self, x: Array, t: Array, step: int) -> None:
        cell, setting, n = self.cell, self.setting, len(x)
        centered = x - self.offset
        a = (centered @ self.weights + self.bias).reshape(n, *self._shape)
        self._mark_diverged(a, step)
        pre, post = cell.rule.factors(
            Activity(
                inputs=x,
                offset=self.offset,
                targets=t[:, None, :],
                preactivation=a,
                output=cell.activation(a),
                activation=cell.activation,
                error=setting.error,
                mean_input=self.means[0],
                mean_target=self.means[1],
            )
        )
        scaled = (post * (self.eta * (self.diverged_at == NEVER)[:, None])).reshape(n, -1)
        np.matmul(pre.T, scaled / n, out=self.change)
        if cell.weight_decay:
            self.weights *= 1 - cell.weight_decay
        self.weights -= self.change
        if cell.weight_decay and step % STEPS_BETWEEN_FLUSHES == 0:
            flush_subnormal(self.weights)
        if cell.rule.learns_bias:
            self.bias -= scaled.mean(axis=0)
        if setting.shift:
            moved = moving_average(self.offset, x, setting.shift)
            self.bias += (moved - self.offset) @ self.weights
            self.offset = moved

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.eta), self.patterns.targets.shape[1]

    def _mark_diverged(self, a: Array, step: int) -> None:
        largest = np.maximum(a.max(axis=(0, 2)), -a.min(axis=(0, 2)))
        diverged = ~(largest <= LARGEST_PREACTIVATION) & (self.diverged_at == NEVER)
        if not diverged.any():
            return
        self.diverged_at[diverged] = step
        # Silent columns keep their place, so that the others are computed as if nothing had happened.
        columns = np.repeat(diverged, self._shape[1])
        self.weights[:, columns] = 0
        self.bias[columns] = 0
        a[:, diverged] = 0

    def evaluate_into(self, result: CellResult, memory_budget: int) -> None:
        """Measure the finite runs on the evaluated patterns, as many at a time as the memory holds."""
        x, t = self.patterns.evaluated_inputs - self.offset, self.patterns.evaluated_targets
        n_outputs = self._shape[1]
        at_once = max(1, memory_budget // 16 // (t.size * self.setting.dtype.itemsize))
        result.diverged_at[self.tile.rates, self.tile.trial] = self.diverged_at
        finite = np.flatnonzero(self.diverged_at == NEVER)
        for start in range(0, len(finite), at_once):
            runs = finite[start : start + at_once]
            columns = _columns_of(runs, n_outputs)
            a = (x @ self.weights[:, columns] + self.bias[columns]).reshape(len(x), len(runs), n_outputs)
            with np.errstate(over="ignore", invalid="ignore"):
                h = self.cell.activation(a)
                for place, run in enumerate(runs):
                    rate = (self.tile.rates.start or 0) + int(run)
                    measure_into(result, rate, self.tile.trial, t, np.ascontiguousarray(h[:, place]))


def _columns_of(runs: npt.NDArray[np.intp], n_outputs: int) -> npt.NDArray[np.intp]:
    return (runs[:, None] * n_outputs + np.arange(n_outputs)).ravel()
