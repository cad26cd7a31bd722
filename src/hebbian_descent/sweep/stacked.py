"""Many runs as columns of one weight matrix: one matrix product forward and one back, for all of them.

It is the right form for mini-batches and for streams longer than the input is wide. A tile holds the learning
rates of one trial (or a part of them, where memory is short); its arithmetic does not depend on which other
tiles there are, nor on the number of threads, so that a trial alone has the bits it has among ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from hebbian_descent.checks import Array
from hebbian_descent.kernels.products import subtract_product
from hebbian_descent.network.offsets import flush_subnormal, moving_average
from hebbian_descent.rules.base import Activity
from hebbian_descent.sweep.engine import (
    MEMORY_BUDGET,
    NEVER,
    CellResult,
    empty_result,
    kernel_kind,
    measure_into,
)
from hebbian_descent.sweep.patterns import Patterns
from hebbian_descent.sweep.seeding import initial_weights
from hebbian_descent.sweep.setting import Cell, Setting
from hebbian_descent.training import LARGEST_PREACTIVATION

STEPS_BETWEEN_FLUSHES = 16  # a pass over all weights; what fades takes longer than that to slow anything down

ROWS_AT_ONCE = 256  # few enough for their activities to stay in the cache


class Tile(NamedTuple):
    """The runs that are stacked: some learning rates of one trial, both by their place in the setting."""

    trial: int
    rates: slice


def stacked(
    cell: Cell, setting: Setting, patterns: Patterns, *, threads: int = 1, memory_budget: int = MEMORY_BUDGET
) -> CellResult:
    """Run the tiles of a cell, each on one processor."""
    result = empty_result(setting, patterns)
    data = patterns.in_precision(setting.dtype)

    def run(tile: Tile) -> None:
        stack = Stack(cell, setting, data, tile)
        stack.learn()
        stack.evaluate_into(result, memory_budget)

    # One BLAS thread a tile: a product split over threads may round differently.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(run, tiles(setting, patterns, memory_budget)):
            pass
    return result


def tiles(setting: Setting, patterns: Patterns, memory_budget: int) -> Iterator[Tile]:
    """Cut the runs into tiles; the plan follows from the setting and the budget alone."""
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
    # The weights, and about six arrays of activities of a batch.
    bytes_per_run = setting.dtype.itemsize * n_outputs * (n_inputs + 6 * setting.batch_size)
    n_rates = len(setting.learning_rates)
    width = max(1, min(n_rates, memory_budget // 4 // bytes_per_run))
    for trial in range(len(setting.trials)):
        for start in range(0, n_rates, width):
            yield Tile(trial, slice(start, min(start + width, n_rates)))


class Stack:
    """Runs that differ in their learning rate alone, side by side in one matrix of weights.

    Its columns are ordered by output unit, then run: neighbours belong to different runs.
    """

    def __init__(self, cell: Cell, setting: Setting, patterns: Patterns, tile: Tile) -> None:
        self.cell, self.setting, self.patterns, self.tile = cell, setting, patterns, tile
        dtype = setting.dtype
        self.eta = np.array(setting.learning_rates[tile.rates], dtype)  # (n_runs,)
        n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
        trial = setting.trials[tile.trial]
        start = initial_weights(setting.seed, trial, n_inputs, n_outputs, dtype=dtype)
        self.weights = np.repeat(start, len(self.eta), axis=1)
        self.bias = np.zeros((n_outputs, len(self.eta)), dtype)
        self.offset = setting.offset(patterns).astype(dtype)
        self.means = patterns.inputs.mean(axis=0), patterns.targets.mean(axis=0)
        self.diverged_at = np.full(len(self.eta), NEVER, dtype=np.int64)
        self.kind = kind_of(cell, setting)

    def learn(self) -> None:
        """Show all patterns to all runs, epoch by epoch."""
        inputs, targets = self.patterns.inputs, self.patterns.targets
        step = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for step, rows in enumerate(self.setting.batches(len(inputs))):
                self._update(inputs[rows], targets[rows], step)
        finite = np.isfinite(self.weights).all(axis=0).reshape(self.bias.shape).all(axis=0)
        self.diverged_at[~finite & (self.diverged_at == NEVER)] = step + 1

    def _update(self, x: Array, t: Array, step: int) -> None:
        cell, n = self.cell, len(x)
        centered = x - self.offset
        a = (centered @ self.weights).reshape(n, *self.bias.shape)
        eta = np.where(self.diverged_at == NEVER, self.eta, 0) / n
        if self.kind is not None:
            pre, scaled = centered, self._compiled_factor(a, t, eta.astype(a.dtype), step)
        else:
            pre, scaled = self._plain_factors(a + self.bias, x, t, eta.astype(a.dtype), step)
        subtract_product(self.weights, pre, scaled.reshape(n, -1), keep=1 - cell.weight_decay)
        if cell.weight_decay and step % STEPS_BETWEEN_FLUSHES == 0:
            flush_subnormal(self.weights)
        if cell.rule.learns_bias:
            self.bias -= scaled.sum(axis=0)
        if self.setting.shift:
            moved = moving_average(self.offset, x, self.setting.shift)
            self.bias += ((moved - self.offset) @ self.weights).reshape(self.bias.shape)
            self.offset = moved

    def _compiled_factor(self, a: Array, t: Array, eta: Array, step: int) -> Array:
        """Return η·post, in the place of a."""
        from hebbian_descent.kernels.stacks import learn_stacked

        beyond = np.zeros(len(self.eta), dtype=np.int64)
        pulls_back = self.cell.rule.name == "gradient_descent"
        learn_stacked(self.kind, pulls_back, eta, self.bias, t, a, beyond)
        self._silence(beyond > 0, a, step)
        return a

    def _plain_factors(self, a: Array, x: Array, t: Array, eta: Array, step: int) -> tuple[Array, Array]:
        """Return pre and η·post by way of the rule's own function, which has units on the last axis."""
        largest = np.maximum(a.max(axis=(0, 1)), -a.min(axis=(0, 1)))
        self._silence(~(largest <= LARGEST_PREACTIVATION), a, step)
        by_run = np.ascontiguousarray(a.swapaxes(1, 2))  # (n, n_runs, n_outputs)
        pre, post = self.cell.rule.factors(
            Activity(
                inputs=x,
                offset=self.offset,
                targets=t[:, None, :],
                preactivation=by_run,
                output=self.cell.activation(by_run),
                activation=self.cell.activation,
                error=self.setting.error,
                mean_input=self.means[0],
                mean_target=self.means[1],
            )
        )
        scaled = post * np.where(self.diverged_at == NEVER, eta, 0)[:, None]
        return pre, np.ascontiguousarray(scaled.swapaxes(1, 2))

    def _silence(self, diverged: npt.NDArray[np.bool_], activities: Array, step: int) -> None:
        """Mark runs that diverge now; their columns keep their place, and are zero from here on."""
        diverged = diverged & (self.diverged_at == NEVER)
        if not diverged.any():
            return
        self.diverged_at[diverged] = step
        self.weights.reshape(-1, *self.bias.shape)[:, :, diverged] = 0
        self.bias[:, diverged] = 0
        activities[:, :, diverged] = 0

    def evaluate_into(self, result: CellResult, memory_budget: int) -> None:
        """Measure the finite runs on the evaluated patterns, as many at a time as the memory holds."""
        result.diverged_at[self.tile.rates, self.tile.trial] = self.diverged_at
        if tuple(result.values) == ("mae",) and self.cell.activation.is_built_in:
            self._evaluate_error_into(result.values["mae"])
            return
        x, t = self.patterns.evaluated_inputs - self.offset, self.patterns.evaluated_targets
        at_once = max(1, memory_budget // 16 // (t.size * self.setting.dtype.itemsize))
        finite = np.flatnonzero(self.diverged_at == NEVER)
        weights = self.weights.reshape(-1, *self.bias.shape)
        for start in range(0, len(finite), at_once):
            runs = finite[start : start + at_once]
            columns = weights[:, :, runs].reshape(len(weights), -1)
            a = (x @ columns).reshape(len(x), *self.bias[:, runs].shape) + self.bias[:, runs]
            with np.errstate(over="ignore", invalid="ignore"):
                h = self.cell.activation(np.ascontiguousarray(a.transpose(2, 0, 1)))
                for place, run in enumerate(runs):
                    rate = (self.tile.rates.start or 0) + int(run)
                    measure_into(result, rate, self.tile.trial, t, h[place])

    def _evaluate_error_into(self, mae: Array) -> None:
        """Fill the mean absolute errors, some patterns at a time and all runs at once."""
        from hebbian_descent.kernels.stacks import evaluate_stacked

        kind, errors = kernel_kind(self.cell.activation), mae[self.tile.rates, self.tile.trial].T
        for start in range(0, len(errors), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            x, t = self.patterns.evaluated_inputs[rows], self.patterns.evaluated_targets[rows]
            a = ((x - self.offset) @ self.weights).reshape(len(x), *self.bias.shape)
            found = np.empty((len(x), len(self.eta)), a.dtype)
            evaluate_stacked(kind, self.bias, t, a, found)
            errors[rows] = np.where(self.diverged_at == NEVER, found, np.nan)


def kind_of(cell: Cell, setting: Setting) -> Any:
    """Return the activation as kernels know it, or None where the rule's own function has to be called."""
    if cell.rule.name not in ("hebbian_descent", "contrastive", "gradient_descent"):
        return None
    if cell.rule.name != "contrastive" and setting.error.name != "difference":
        return None
    return kernel_kind(cell.activation)
