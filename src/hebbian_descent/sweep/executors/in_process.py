"""Cells in this process, one after another."""

from __future__ import annotations

from collections.abc import Sequence

from hebbian_descent.checks import as_count
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.sweep.cell import Work
from hebbian_descent.sweep.executors.base import Finished, naming
from hebbian_descent.sweep.executors.threads import usable_processors


class InProcess:
    """One cell after another, each on all processors that this process may use."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = usable_processors() if threads is None else as_count(threads, "number of threads")

    def run(self, works: Sequence[Work], patterns: Patterns) -> Finished:
        """Yield the records in the order of the cells."""
        for place, work in enumerate(works):
            with naming(work.cell):
                record = work.run(patterns, self.threads)
            yield place, record
