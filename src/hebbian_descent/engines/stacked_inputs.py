"""Inputs of stacked runs: blocks of steps, each a batch of patterns, whole or without their zeros.

Both products of the compiled core treat every column alike, whatever its neighbours; NumPy's do not guarantee
that.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import cached_property
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.network_grids import LayerCell, LayerGrid
from hebbian_descent.engines.patterns import Patterns, leaving_out_zeros_pays, sparse_patterns
from hebbian_descent.learning.step import change_weights
from hebbian_descent.native import core
from hebbian_descent.network.offsets import moving_average
from hebbian_descent.rules.base import Activity, Factors

BYTES_OF_A_BLOCK = 2**23
BLOCKS_AT_ONCE = 8
"""Blocks that are prepared before the runs learn them."""

EVALUATED_AT_ONCE = 256
"""Patterns, few enough for their activities to stay in the cache."""

Rows = npt.NDArray[np.intp]


class Batches(Protocol):
    """Some batches of centered patterns; rows of weights and activities are whole cache lines."""

    def multiply(self, batch: int, weights: Array, start: Array, out: Array) -> None:
        """Set out = start + (x − μ)W, with one row to start from."""
        ...

    def learn(self, batch: int, keep: float, p: Array, weights: Array) -> None:
        """Set W ← keep·W + preᵀp."""
        ...


class PlainBatches:
    """The plain twin of the compiled batches."""

    def __init__(
        self, patterns: Array, rows: Rows, bounds: Rows, offsets: Array, pre: Array | None = None
    ) -> None:
        lengths = np.diff(bounds)
        self.bounds = bounds
        self.centered = patterns[rows] - (
            offsets if len(offsets) == 1 else np.repeat(offsets, lengths, axis=0)
        )
        self.pre = self.centered if pre is None else pre

    def multiply(self, batch: int, weights: Array, start: Array, out: Array) -> None:
        """Set out = start + (x − μ)W, with one row to start from."""
        n_columns = len(start)
        out[:] = self.centered[self._rows(batch)] @ weights[:, :n_columns] + start

    def learn(self, batch: int, keep: float, p: Array, weights: Array) -> None:
        """Set W ← keep·W + preᵀp."""
        change_weights(weights[:, : p.shape[1]], self.change(batch, p), decay=1 - keep, flush=False)

    def change(self, batch: int, p: Array) -> Array:
        """Return −preᵀp, which is η·ΔW."""
        return self.pre[self._rows(batch)].T @ -p

    def _rows(self, batch: int) -> slice:
        return slice(*self.bounds[batch : batch + 2])


class Block(NamedTuple):
    """Some steps that follow each other, prepared once for all runs."""

    first: int
    """The number of the first step, or of the first evaluated pattern."""
    bounds: Rows
    """Where the patterns of each step begin and end, (n_steps + 1,)."""
    targets: Array
    """Targets, or the postsynaptic factors of a rule that does not look at the output, (n, n_outputs)."""
    moves: Array | None
    """By how much the offset moves after each step, (n_steps, n_inputs), or None if it stays."""
    batches: Batches

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return len(self.bounds) - 1


class PlannedBlock(NamedTuple):
    """The content of a block before it is prepared."""

    first: int
    batches: list[Rows]
    offsets: Array
    """Before each step and after the last, (n_steps + 1, n_inputs), or a fixed one, (1, n_inputs)."""


class Schedule:
    """The patterns of a cell in its precision, cut into blocks of steps."""

    def __init__(self, cell: LayerCell, grid: LayerGrid, patterns: Patterns) -> None:
        self.cell, self.grid, self.pairs = cell, grid, patterns.in_precision(grid.dtype)
        self.offset = grid.offset(self.pairs).astype(grid.dtype)
        """Before the first step; after the last one, once all blocks are planned."""
        self.learned = _Source(self.pairs.inputs, is_sparse=leaves_out_zeros(cell, grid, patterns))
        n_evaluated = len(patterns.evaluated_inputs)
        is_sparse = core() is not None and leaving_out_zeros_pays(
            patterns.share_of_evaluated_inputs, n_evaluated
        )
        if patterns.evaluated is None and is_sparse == self.learned.is_sparse:
            self.evaluated = self.learned
        else:
            self.evaluated = _Source(self.pairs.evaluated_inputs, is_sparse=is_sparse)

    @cached_property
    def means(self) -> tuple[Array, Array]:
        """The means of all inputs and of all targets, which some rules need."""
        return self.pairs.inputs.mean(axis=0), self.pairs.targets.mean(axis=0)

    def factors(self, inputs: Array, offset: Array, targets: Array, a: Array, h: Array) -> Factors:
        """Return the factors of the rule; units are on the last axis."""
        found: Factors = self.cell.rule.factors(
            Activity(
                inputs=inputs,
                offset=offset,
                targets=targets,
                preactivation=a,
                output=h,
                activation=self.cell.activation,
                error=self.grid.error,
                mean_input=self.means[0],
                mean_target=self.means[1],
            )
        )
        return found

    def blocks(self, pool: Executor, memory_budget: int) -> Iterator[list[Block]]:
        """Yield some blocks at a time, which follow each other."""
        n, n_inputs = batch_length(self.grid, self.pairs), self.pairs.inputs.shape[1]
        bytes_of_a_step = n_inputs * (2 * n * self.grid.dtype.itemsize + 32)
        steps_at_once = max(
            1, min(BYTES_OF_A_BLOCK, memory_budget // (8 * BLOCKS_AT_ONCE)) // bytes_of_a_step
        )
        planned = self._planned(steps_at_once)
        while some := list(islice(planned, BLOCKS_AT_ONCE)):
            yield list(pool.map(self._prepare, some))

    def _planned(self, steps_at_once: int) -> Iterator[PlannedBlock]:
        inputs, moves, n_seen = self.pairs.inputs, self.grid.offset_moves, 0
        offset, first = self.grid.offset(self.pairs).astype(self.grid.dtype), 0
        batches = self.grid.batches(len(inputs))
        while some := list(islice(batches, steps_at_once)):
            offsets = [offset]
            for rows in some if moves.moves else ():
                n_seen += len(rows)
                offset = moving_average(offset, inputs[rows], moves.shift_after(n_seen, len(rows)))
                offsets.append(offset)
            self.offset = offset
            yield PlannedBlock(first, some, np.array(offsets))
            first += len(some)

    def _prepare(self, plan: PlannedBlock) -> Block:
        rows, moves = np.concatenate(plan.batches), None
        lengths = [len(batch) for batch in plan.batches]
        before, targets, pre = plan.offsets, self.pairs.targets[rows], None
        if self.grid.shift:
            before, moves = plan.offsets[:-1], np.diff(plan.offsets, axis=0)
        if not self.cell.rule.looks_at_output:
            offsets = before if len(before) == 1 else np.repeat(before, lengths, axis=0)
            pre, targets = self.factors(self.pairs.inputs[rows], offsets, targets, targets, targets)
        bounds = np.cumsum([0, *lengths], dtype=np.intp)
        return Block(plan.first, bounds, targets, moves, self.learned.batches(rows, bounds, before, pre))

    def evaluated_blocks(self) -> Iterator[Block]:
        """Yield the evaluated patterns, some at a time, centered by the offset after the last step."""
        targets = self.pairs.evaluated_targets
        can_be_cut = all(measure.sees_one_pattern for measure in self.grid.measures)
        at_once = EVALUATED_AT_ONCE if can_be_cut else len(targets)
        for start in range(0, len(targets), at_once):
            rows = np.arange(start, min(start + at_once, len(targets)))
            bounds = np.array([0, len(rows)])
            batches = self.evaluated.batches(rows, bounds, self.offset[None], learns=False)
            yield Block(start, bounds, targets[rows], None, batches)


class _Source:
    """Patterns from which batches are made; zeros are removed once and for all if that pays."""

    def __init__(self, patterns: Array, *, is_sparse: bool) -> None:
        self.patterns, self.is_sparse = np.ascontiguousarray(patterns), is_sparse
        self._native, self.sparse = core(), None
        if is_sparse and self._native is not None:
            self.sparse = sparse_patterns(self._native, self.patterns, patterns.dtype)

    def batches(
        self, rows: Rows, bounds: Rows, offsets: Array, pre: Array | None = None, *, learns: bool = True
    ) -> Batches:
        """Return batches; those that are only evaluated have nothing to learn."""
        found: Batches
        if self._native is None:
            return PlainBatches(self.patterns, rows, bounds, offsets, pre)
        if self.sparse is not None:
            found = self._native.sparse_batches(self.sparse, rows, bounds, offsets, learns)
        else:
            found = self._native.dense_batches(self.patterns, rows, bounds, offsets, pre, learns)
        return found


def leaves_out_zeros(cell: LayerCell, grid: LayerGrid, patterns: Patterns) -> bool:
    """Return whether the products that learn leave out the zeros of the inputs."""
    pays = leaving_out_zeros_pays(patterns.share_of_inputs, batch_length(grid, patterns))
    return cell.rule.looks_at_output and pays and core() is not None


def batch_length(grid: LayerGrid, patterns: Patterns) -> int:
    """Return the number of patterns in all batches but the last, which may have fewer."""
    return min(grid.batch_size, len(patterns.inputs))
