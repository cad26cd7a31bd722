"""Executors, and the simplest one: cells in this process, one after another."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

from hebbian_descent.checks import as_count
from hebbian_descent.storage.results import Record
from hebbian_descent.thread_pools import usable_processors

Finished: TypeAlias = Generator[tuple[int, Record], None, None]
"""Positions of cells with their records; closing it ends whatever is still running."""


class WorkerLostError(RuntimeError):
    """Workers repeatedly died while they ran a cell."""


class Runnable(Protocol):
    """A cell of any kind: the `Work` of a sweep, or something else that makes a record."""

    @property
    def cell(self) -> object:
        """The cell, as named in messages."""
        ...

    def run(self, patterns: Any, threads: int = 1) -> Record:
        """Return the record, the same for any number of threads."""
        ...


class Executor(Protocol):
    """A way to run cells, all of which get the same `patterns`.

    Records come as they are finished, with the position of their cell. The first error ends the run, but no
    cell that is finished by then is lost.
    """

    def run(self, works: Sequence[Runnable], patterns: Any) -> Finished:
        """Yield the position of each cell in `works` and its record."""
        ...


class InProcess:
    """One cell after another, each on all processors that this process may use."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = usable_processors() if threads is None else as_count(threads, "number of threads")

    def run(self, works: Sequence[Runnable], patterns: Any) -> Finished:
        """Yield the records in the order of the cells."""
        for place, work in enumerate(works):
            with naming(work.cell):
                record = work.run(patterns, self.threads)
            yield place, record


@contextmanager
def naming(cell: object) -> Iterator[None]:
    """Add the name of a cell to whatever it raises."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This happened in the cell: {cell}.")
        raise
