"""The steps of learning, prepared once for all runs: which patterns, centered how, in which form."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from hebbian_descent.checks import Array
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.setting import Setting
from hebbian_descent.engines.stacked_inputs import SMALLEST_BATCH, Batch, Inputs, Rows, leaving_out_zeros_pays
from hebbian_descent.network.offsets import moving_average

BYTES_AT_ONCE = 2**26
"""Of prepared steps, which all runs take before the next ones are prepared."""

BYTES_OF_A_STEP = 4096
"""However small its arrays are."""

STEPS_AT_ONCE = 32
"""Prepared by one thread; fewer would be mostly waiting for each other."""


class Planned(NamedTuple):
    """What a step is about."""

    number: int
    rows: Rows
    offset: Array
    moved_offset: Array
    """The offset after the update."""


class Step(NamedTuple):
    """One update, as all runs see it."""

    number: int
    rows: Rows
    offset: Array
    moved_offset: Array
    targets: Array
    batch: Batch


class Steps:
    """The patterns of a sweep in its precision, cut into steps."""

    def __init__(self, setting: Setting, patterns: Patterns, *, is_compiled: bool) -> None:
        self.setting, self.pairs = setting, patterns.in_precision(setting.dtype)
        self.offset = setting.offset(self.pairs).astype(setting.dtype)
        n_evaluated = len(patterns.evaluated_inputs)
        learned = {
            "is_compiled": is_compiled and n_of_batch(setting, patterns) >= SMALLEST_BATCH,
            "is_sparse": learns_without_zeros(setting, patterns),
        }
        evaluated = {
            "is_compiled": n_evaluated >= SMALLEST_BATCH,
            "is_sparse": leaving_out_zeros_pays(patterns.share_of_evaluated_inputs, n_evaluated),
        }
        self.learned = Inputs(self.pairs.inputs, **learned)
        if patterns.evaluated is None and evaluated == learned:
            self.evaluated = self.learned
        else:
            self.evaluated = Inputs(self.pairs.evaluated_inputs, **evaluated)

    @property
    def treat_columns_alike(self) -> bool:
        """Whether no product is a BLAS's: all are compiled, and no moving offset is multiplied."""
        return self.learned.is_compiled and self.evaluated.is_compiled and not self.setting.shift

    @cached_property
    def means(self) -> tuple[Array, Array]:
        """The means of all inputs and of all targets, which some rules need."""
        return self.pairs.inputs.mean(axis=0), self.pairs.targets.mean(axis=0)

    def prepared(self, pool: Executor, memory_budget: int) -> Iterator[list[Step]]:
        """Yield some steps at a time, which follow each other."""
        n, n_inputs = n_of_batch(self.setting, self.pairs), self.pairs.inputs.shape[1]
        bytes_per_step = BYTES_OF_A_STEP + n_inputs * (2 * n * self.setting.dtype.itemsize + 32)
        at_once = max(1, min(BYTES_AT_ONCE, memory_budget // 8) // bytes_per_step)
        plan = self._plan()
        while some := list(islice(plan, at_once)):
            parts = [some[start : start + STEPS_AT_ONCE] for start in range(0, len(some), STEPS_AT_ONCE)]
            yield [step for part in pool.map(self._prepare, parts) for step in part]

    def _plan(self) -> Iterator[Planned]:
        offset, inputs, moves, n_seen = self.offset, self.pairs.inputs, self.setting.offset_moves, 0
        for number, rows in enumerate(self.setting.batches(len(inputs))):
            n_seen += len(rows)
            shift = moves.shift_after(n_seen, len(rows))
            moved = moving_average(offset, inputs[rows], shift) if shift else offset
            yield Planned(number, rows, offset, moved)
            offset = moved

    def _prepare(self, plan: list[Planned]) -> list[Step]:
        targets, learned = self.pairs.targets, self.learned
        return [Step(*step, targets[step.rows], learned.batch(step.rows, step.offset)) for step in plan]


def learns_without_zeros(setting: Setting, patterns: Patterns) -> bool:
    """Return whether products that learn should leave out the zeros of the inputs."""
    return leaving_out_zeros_pays(patterns.share_of_inputs, n_of_batch(setting, patterns))


def n_of_batch(setting: Setting, patterns: Patterns) -> int:
    """Return the number of patterns in all batches but the last, which may have fewer."""
    return min(setting.batch_size, len(patterns.inputs))
