"""Runs as columns of one weight matrix: how they learn a step, and how they are evaluated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER, CellResult, kernel_kind, measure_into
from hebbian_descent.engines.closed_form import Imprint
from hebbian_descent.engines.seeding import initial_weights
from hebbian_descent.engines.setting import Cell, Setting
from hebbian_descent.engines.stacked_inputs import padded
from hebbian_descent.engines.stacked_steps import Step, Steps
from hebbian_descent.kernels.products import subtract_product
from hebbian_descent.learning.run import LARGEST_PREACTIVATION
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules.base import Activity

STEPS_BETWEEN_FLUSHES = 16  # a pass over all weights; what fades takes longer than that to slow anything down

ROWS_AT_ONCE = 256  # few enough for their activities to stay in the cache


class Tile(NamedTuple):
    """The runs that are stacked: some learning rates of some trials, both by their place in the setting."""

    trials: list[int]
    rates: list[int]
    imprint: Imprint | None = None
    """What the runs have learned, times their rate; otherwise they take step by step."""


class Stack:
    """Runs that differ in learning rate and initial weights alone, side by side in one matrix of weights.

    Its columns are ordered by output unit, then trial, then learning rate: neighbours belong to different
    runs. A few more that are always zero fill up the last line of the cache.
    """

    def __init__(self, cell: Cell, setting: Setting, steps: Steps, tile: Tile) -> None:
        self.cell, self.setting, self.steps, self.tile = cell, setting, steps, tile
        self.pairs, self.offset, dtype = steps.pairs, steps.offset, setting.dtype
        self.trial_of_run, self.rate_of_run = (
            np.ravel(places) for places in np.meshgrid(tile.trials, tile.rates, indexing="ij")
        )
        self.eta = np.array([setting.learning_rates[i] for i in self.rate_of_run], dtype)  # (n_runs,)
        n_inputs, n_outputs = self.pairs.inputs.shape[1], self.pairs.targets.shape[1]
        starts = [
            initial_weights(setting.seed, setting.trials[trial], n_inputs, n_outputs, dtype=dtype)
            for trial in tile.trials
        ]
        columns = np.repeat(np.stack(starts, axis=2), len(tile.rates), axis=2).reshape(n_inputs, -1)
        if tile.imprint is not None:
            columns += (tile.imprint.weights[:, :, None] * self.eta).reshape(columns.shape)
        self.weights = padded(columns)
        self.bias = np.zeros((n_outputs, len(self.eta)), dtype)
        self.diverged_at = np.full(len(self.eta), NEVER, dtype=np.int64)
        self.kind = kind_of(cell, setting)

    def learn(self, steps: list[Step]) -> None:
        """Take some steps with all runs, unless none of them is left."""
        if (self.diverged_at != NEVER).all():
            return
        with np.errstate(over="ignore", invalid="ignore"):
            for step in steps:
                self._update(step)
        finite = self._by_run(np.isfinite(self.weights).all(axis=0)).all(axis=0)
        self._silence(~finite, steps[-1].number + 1)

    def _by_run(self, columns: Any) -> Any:
        """Return an array over columns as one over units and runs, without those that are idle."""
        return columns[..., : self.bias.size].reshape(*columns.shape[:-1], *self.bias.shape)

    def _update(self, step: Step) -> None:
        cell, keep = self.cell, 1 - self.cell.weight_decay
        a = step.batch.product(self.weights)
        if self.kind is not None:
            scaled = self._compiled_factor(a, step)
            step.batch.subtract_product(self.weights, scaled, keep)
        else:
            pre, scaled = self._plain_factors(self._by_run(a) + self.bias, step)
            subtract_product(self.weights, pre, scaled, keep)
        if cell.weight_decay and step.number % STEPS_BETWEEN_FLUSHES == 0:
            flush_subnormal(self.weights)
        if cell.rule.learns_bias:
            self.bias -= self._by_run(scaled.sum(axis=0))
        if self.setting.shift:
            self.bias += self._by_run((step.moved_offset - step.offset) @ self.weights)
            self.offset = step.moved_offset

    def _rates(self, step: Step) -> Array:
        """Return η of each run divided by the length of the batch, or 0 where it has diverged."""
        rates: Array = np.where(self.diverged_at == NEVER, self.eta, 0) / len(step.rows)
        return rates.astype(self.weights.dtype)

    def _compiled_factor(self, a: Array, step: Step) -> Array:
        """Return η·post, in the place of a."""
        from hebbian_descent.kernels.stacks import learn_stacked

        beyond = np.zeros(len(self.eta), dtype=np.int64)
        pulls_back = self.cell.rule.pulls_back
        learn_stacked(self.kind, pulls_back, self._rates(step), self.bias, step.targets, a, beyond)
        self._silence(beyond > 0, step.number, self._by_run(a))
        return a

    def _plain_factors(self, a: Array, step: Step) -> tuple[Array, Array]:
        """Return pre and η·post by way of the rule's own function, which has units on the last axis."""
        largest = np.maximum(a.max(axis=(0, 1)), -a.min(axis=(0, 1)))
        self._silence(~(largest <= LARGEST_PREACTIVATION), step.number, a)
        by_run = np.ascontiguousarray(a.swapaxes(1, 2))  # (n, n_runs, n_outputs)
        pre, post = self.cell.rule.factors(
            Activity(
                inputs=self.pairs.inputs[step.rows],
                offset=step.offset,
                targets=step.targets[:, None, :],
                preactivation=by_run,
                output=self.cell.activation(by_run),
                activation=self.cell.activation,
                error=self.setting.error,
                mean_input=self.steps.means[0],
                mean_target=self.steps.means[1],
            )
        )
        scaled = post * self._rates(step)[:, None]
        return pre, padded(scaled.swapaxes(1, 2).reshape(len(step.rows), -1))

    def _silence(self, diverged: npt.NDArray[np.bool_], number: int, activities: Array | None = None) -> None:
        """Mark runs that diverge now; their columns keep their place, and are zero from here on."""
        diverged = diverged & (self.diverged_at == NEVER)
        if not diverged.any():
            return
        self.diverged_at[diverged] = number
        self._by_run(self.weights)[:, :, diverged] = 0
        self.bias[:, diverged] = 0
        if activities is not None:
            activities[:, :, diverged] = 0

    def evaluate_into(self, result: CellResult, memory_budget: int) -> None:
        """Measure the finite runs on the evaluated patterns, as many at a time as the memory holds."""
        result.diverged_at[self.rate_of_run, self.trial_of_run] = self.diverged_at
        if tuple(result.values) == ("mae",) and self.cell.activation.compiled_form is not None:
            self._evaluate_error_into(result.values["mae"])
            return
        t = self.pairs.evaluated_targets
        batch = self.steps.evaluated.batch(np.arange(len(t)), self.offset, learns=False)
        at_once = max(1, memory_budget // 16 // (t.size * self.setting.dtype.itemsize))
        finite = np.flatnonzero(self.diverged_at == NEVER)
        weights = self._by_run(self.weights)
        for start in range(0, len(finite), at_once):
            runs = finite[start : start + at_once]
            bias = self.bias[:, runs]
            columns = padded(weights[:, :, runs].reshape(len(weights), -1))
            a = batch.product(columns)[:, : bias.size].reshape(-1, *bias.shape) + bias
            with np.errstate(over="ignore", invalid="ignore"):
                h = self.cell.activation(np.ascontiguousarray(a.transpose(2, 0, 1)))
                for place, run in enumerate(runs):
                    measure_into(result, self.rate_of_run[run], self.trial_of_run[run], t, h[place])

    def _evaluate_error_into(self, mae: Array) -> None:
        """Fill the mean absolute errors, some patterns at a time and all runs at once."""
        from hebbian_descent.kernels.stacks import evaluate_stacked

        kind, n_evaluated = kernel_kind(self.cell.activation), len(self.pairs.evaluated_targets)
        errors = np.empty((n_evaluated, len(self.eta)), mae.dtype)
        for start in range(0, n_evaluated, ROWS_AT_ONCE):
            rows = np.arange(start, min(start + ROWS_AT_ONCE, n_evaluated))
            a = self.steps.evaluated.batch(rows, self.offset, learns=False).product(self.weights)
            evaluate_stacked(
                kind, self.bias, self.pairs.evaluated_targets[rows], a, errors[start : rows[-1] + 1]
            )
        mae[self.rate_of_run, self.trial_of_run] = np.where(self.diverged_at == NEVER, errors, np.nan).T


def kind_of(cell: Cell, setting: Setting) -> Any:
    """Return the activation as kernels know it, or None where the rule's own function has to be called."""
    if (
        cell.rule.compiled_form is None
        or cell.activation.compiled_form is None
        or not cell.rule.looks_at_output
    ):
        return None
    if cell.rule.takes_error_term and setting.error.compiled_form != "difference":
        return None
    return kernel_kind(cell.activation)
