"""Runs as columns of one weight matrix: how they learn a step, and how they are evaluated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import padded, whole_vectors
from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER, STEPS_BETWEEN_FLUSHES, CellResult, measure_into
from hebbian_descent.engines.closed_form import Imprint
from hebbian_descent.engines.grid import initial_weights
from hebbian_descent.engines.network_grids import LayerCell, LayerGrid
from hebbian_descent.engines.stacked_inputs import Block, PlainBatches, Schedule
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.learning.step import change_weights
from hebbian_descent.native import core

OPERATIONS_PER_CALL = 2**29
"""Multiplications per call, some hundredths of a second: interrupts are noticed between calls."""


class Tile(NamedTuple):
    """Runs that are stacked, each by the positions of its trial and its learning rate in the grid."""

    trials: npt.NDArray[np.intp]
    rates: npt.NDArray[np.intp]
    imprint: Imprint | None = None
    """What the runs have learned, times their rate; None if they learn step by step."""


class Stack:
    """Runs that differ only in learning rate and initial weights, side by side in one matrix of weights.

    Its columns are ordered by output unit, then run: neighbours belong to different runs. Columns of zeros
    pad the last vector.
    """

    def __init__(self, cell: LayerCell, grid: LayerGrid, schedule: Schedule, tile: Tile) -> None:
        self.cell, self.grid, self.schedule, self.tile = cell, grid, schedule, tile
        dtype, n_runs = grid.dtype, len(tile.trials)
        self.eta = np.array(grid.learning_rates, dtype)[tile.rates]  # (n_runs,)
        n_inputs, self.n_units = schedule.pairs.inputs.shape[1], schedule.pairs.targets.shape[1]
        starts = {
            trial: initial_weights(grid.seed, grid.trials[trial], n_inputs, self.n_units, dtype=dtype)
            for trial in set(tile.trials.tolist())
        }
        columns = np.stack(
            [starts[trial] for trial in tile.trials.tolist()], axis=2
        )  # (n_inputs, n_units, n_runs)
        if tile.imprint is not None:
            change_weights(columns, tile.imprint.weights[:, :, None] * -self.eta)
        self.weights = padded(columns.reshape(n_inputs, -1))
        n_columns = whole_vectors(self.n_units * n_runs, dtype.itemsize)
        self.bias, self.rates = np.zeros((2, n_columns), dtype)
        self.by_run(self.rates)[:] = self.eta
        self.diverged_at = np.full(n_runs, NEVER, dtype=np.int64)

    def by_run(self, columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a view of columns by unit and run, without the padding."""
        shape = self.n_units, len(self.eta)
        by_run: npt.NDArray[Any] = columns[..., : shape[0] * shape[1]].reshape(*columns.shape[:-1], *shape)
        return by_run

    def learn(self, blocks: list[Block]) -> None:
        """Take the steps of some blocks with all runs, unless none of them is left."""
        for block in blocks:
            if (self.diverged_at != NEVER).all():
                return
            if core() is None:
                self._learn_plainly(block)
            else:
                self._learn(block)

    def _learn(self, block: Block) -> None:
        operations = self.weights.size * 2 * max(1, len(block.targets) // block.n_steps)
        at_once = max(1, OPERATIONS_PER_CALL // operations)
        for first in range(0, block.n_steps, at_once):
            self._native.learn_stacked(
                block.batches,
                first,
                min(first + at_once, block.n_steps),
                block.first,
                block.targets,
                block.moves,
                self.weights,
                self.bias,
                self.rates,
                self.diverged_at,
                **self._unit,
                rule=self._rule,
            )

    @property
    def _native(self) -> Any:
        return core()

    @property
    def _unit(self) -> dict[str, Any]:
        activation = self.cell.activation
        return {"unit": activation.compiled_form, "parameters": dict(activation.parameters)}

    @property
    def _rule(self) -> Any:
        rule, error = self.cell.rule, self.grid.error
        takes_error_term = rule.takes_error_term and rule.looks_at_output
        return self._native.StackedRule(
            looks_at_output=rule.looks_at_output,
            pulls_back=rule.pulls_back,
            learns_bias=rule.learns_bias,
            error=error.compiled_form if takes_error_term else "difference",
            error_parameters=dict(error.parameters) if takes_error_term else {},
            keep=1 - self.cell.weight_decay,
            steps_per_flush=STEPS_BETWEEN_FLUSHES if self.cell.weight_decay else 0,
            largest_preactivation=LARGEST_PREACTIVATION,
        )

    def _learn_plainly(self, block: Block) -> None:
        """Take the steps of a block by NumPy: the plain twin of the compiled loop."""
        assert isinstance(block.batches, PlainBatches)
        with np.errstate(over="ignore", invalid="ignore"):
            for step in range(block.n_steps):
                t = block.targets[slice(*block.bounds[step : step + 2])]
                p = self._respond(block, step, t)
                change_weights(
                    self.weights[:, : self.bias.size],
                    block.batches.change(step, p),
                    decay=self.cell.weight_decay,
                    flush=(block.first + step) % STEPS_BETWEEN_FLUSHES == 0,
                )
                if self.cell.rule.learns_bias:
                    self.bias += p.sum(axis=0)
                if block.moves is not None:
                    self.bias += block.moves[step] @ self.weights[:, : self.bias.size]

    def _respond(self, block: Block, step: int, t: Array) -> Array:
        """Return p = −η·post / n, one row per pattern; runs that diverge are silenced."""
        activities = np.zeros((len(t), self.bias.size), self.bias.dtype)
        block.batches.multiply(step, self.weights, self.bias, activities)
        a = self.by_run(activities)  # (n, n_units, n_runs)
        self._silence(~(np.abs(a).max(axis=(0, 1)) <= LARGEST_PREACTIVATION), block.first + step)
        a[:, :, self.diverged_at != NEVER] = 0
        post = t[:, None, :]
        if self.cell.rule.looks_at_output:
            units_last = np.ascontiguousarray(a.swapaxes(1, 2))  # (n, n_runs, n_units)
            no_offset = np.zeros((), t.dtype)
            h = self.cell.activation(units_last)
            post = self.schedule.factors(t[:, :0], no_offset, post, units_last, h).post
        a[:] = post.swapaxes(1, 2)
        activities *= self.rates / -len(t)
        return activities

    def _silence(self, diverged: npt.NDArray[np.bool_], number: int) -> None:
        """Mark runs that diverge now; their columns stay in place, and are zero from now on."""
        diverged = diverged & (self.diverged_at == NEVER)
        self.diverged_at[diverged] = number
        for columns in (self.weights, self.bias, self.rates):
            self.by_run(columns)[..., diverged] = 0

    def finish(self, n_steps: int) -> None:
        """Mark runs whose last step left weights that are not finite, which no activity has shown yet."""
        finite = np.isfinite(self.weights[:, : self.bias.size]).all(axis=0) & np.isfinite(self.bias)
        self._silence(np.logical_not(self.by_run(finite)).any(axis=0), n_steps)

    def evaluate_into(self, result: CellResult, block: Block, memory_budget: int) -> None:
        """Measure the finite runs on some evaluated patterns."""
        t = block.targets
        rows = slice(block.first, block.first + len(t))
        if tuple(result.values) == ("mae",) and core() is not None:
            result.values["mae"][self.tile.rates, self.tile.trials, rows] = self._errors(block).T
            return
        at_once = max(1, memory_budget // 16 // (t.size * t.itemsize))
        finite = np.flatnonzero(self.diverged_at == NEVER)
        for start in range(0, len(finite), at_once):
            runs = finite[start : start + at_once]
            for run, h in zip(runs, self._outputs(block, runs), strict=True):
                measure_into(result, self.tile.rates[run], self.tile.trials[run], t, h, rows)

    def _errors(self, block: Block) -> Array:
        """Return the mean absolute error of each pattern in all runs, (n, n_runs)."""
        errors = np.empty((len(block.targets), len(self.eta)), self.bias.dtype)
        arrays = self.weights, self.bias, self.rates, self.diverged_at
        self._native.evaluate_stacked(block.batches, 0, block.targets, *arrays, **self._unit, errors=errors)
        errors[:, self.diverged_at != NEVER] = np.nan
        return errors

    def _outputs(self, block: Block, runs: npt.NDArray[np.intp]) -> Array:
        """Return the outputs of some runs, (len(runs), n, n_units)."""
        n_columns = self.n_units * len(runs)
        weights = padded(self.by_run(self.weights)[:, :, runs].reshape(len(self.weights), n_columns))
        bias = np.zeros(whole_vectors(n_columns, self.bias.itemsize), self.bias.dtype)
        bias[:n_columns] = self.by_run(self.bias)[:, runs].ravel()
        a = np.zeros((len(block.targets), len(bias)), bias.dtype)
        block.batches.multiply(0, weights, bias, a)
        units_last = a[:, :n_columns].reshape(-1, self.n_units, len(runs)).transpose(2, 0, 1)
        units_last = np.ascontiguousarray(units_last)
        if core() is None:
            with np.errstate(over="ignore", invalid="ignore"):
                return self.cell.activation(units_last)
        h = np.empty_like(units_last)
        self._native.activate(units_last.reshape(-1, self.n_units), h.reshape(-1, self.n_units), **self._unit)
        return h
