"""A sweep over all cells of a grid: it runs them, or a share of them, and skips what a store holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from hebbian_descent.checks import as_count
from hebbian_descent.engines.base import MEMORY_BUDGET
from hebbian_descent.engines.choice import choose
from hebbian_descent.engines.grid import Grid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.network.reach import TargetRangeWarning, warn_of_targets_out_of_reach
from hebbian_descent.storage.results import Record, Store, StoreError
from hebbian_descent.sweep.cell import Work, cell_result
from hebbian_descent.sweep.executors import Executor, InProcess
from hebbian_descent.sweep.result import SweepResult

__all__ = ["Progress", "Sweep", "TargetRangeWarning"]

Progress = Callable[[int, int], None]


class Sweep:
    """The cells of a grid over given patterns."""

    def __init__(
        self,
        grid: Grid[Any, Any],
        patterns: Patterns,
        *,
        engine: str = "auto",
        memory_budget: int = MEMORY_BUDGET,
    ) -> None:
        self.grid = grid
        self.patterns = patterns
        memory_budget = as_count(memory_budget, "memory budget", at_least=2**20)
        grid.error.check_targets(patterns.targets)
        grid.check(patterns)
        labels = grid.error.target_values
        warn_of_targets_out_of_reach(patterns.targets, grid.output_activations, labels, stacklevel=3)
        self.works = [
            Work(cell, grid, choose(engine, cell, grid, patterns), memory_budget) for cell in grid.cells()
        ]

    def run(
        self,
        *,
        store: Store | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> SweepResult:
        """Compute what the store does not hold, and return everything."""
        start = time.perf_counter()
        records = {} if store is None else dict(self._stored(store))
        missing = [number for number in range(len(self.works)) if number not in records]
        records.update(self._compute(missing, store, executor or InProcess(), progress, len(records)))
        return SweepResult.collect(
            self.grid,
            [cell_result(records[number]) for number in range(len(self.works))],
            choices={str(work.cell): work.choice for work in self.works},
            baseline=self.patterns.baseline,
            seconds=time.perf_counter() - start,
        )

    def run_shard(
        self, part: int, parts: int, *, store: Store, progress: Progress | None = None
    ) -> tuple[int, int]:
        """Compute one of several equal parts of the cells into a shared store, without a scheduler.

        Parts are numbered from 1; for the same number of parts, each part has different cells.
        Returns how many cells this call computed, and how many of the whole sweep are still missing.
        """
        as_count(parts, "number of shards")
        if not 1 <= as_count(part, "shard") <= parts:
            raise ValueError(f"The shard must be between 1 and {parts}, the number of shards. Got {part}.")
        mine = [number for number in range(len(self.works)) if number % parts == part - 1]
        finished = dict(self._stored(store))
        mine = [number for number in mine if number not in finished]
        computed = dict(self._compute(mine, store, InProcess(), progress, 0))
        return len(computed), len(self.works) - len(dict(self._stored(store)))

    def key(self, store: Store, number: int) -> str:
        """Return the key under which a store keeps a cell."""
        return store.key(self.works[number].specification(self.patterns))

    def _stored(self, store: Store) -> Iterator[tuple[int, Record]]:
        for number, work in enumerate(self.works):
            record = store.find(self.key(store, number), partial(work.fits, patterns=self.patterns))
            if record is not None:
                yield number, record

    def _compute(
        self,
        numbers: list[int],
        store: Store | None,
        executor: Executor,
        progress: Progress | None,
        n_done: int,
    ) -> Iterator[tuple[int, Record]]:
        if store is not None:
            # A finished sweep can be read from a read-only folder.
            with nullcontext() if numbers else suppress(StoreError):
                store.prepare()
        total = n_done + len(numbers)
        if progress is not None:
            progress(n_done, total)
        # Closed at once if something goes wrong here, so that no process or cluster is left behind.
        with closing(executor.run([self.works[number] for number in numbers], self.patterns)) as finished:
            for place, record in finished:
                if store is not None:
                    work = self.works[numbers[place]]
                    store.write(replace(record, specification=work.specification(self.patterns)))
                n_done += 1
                if progress is not None:
                    progress(n_done, total)
                yield numbers[place], record
