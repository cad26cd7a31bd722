"""What an executor is, and what all of them do with a cell."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeAlias

from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.cell import Work

Finished: TypeAlias = Generator[tuple[int, Record], None, None]
"""Places of cells with their records; closing it ends whatever is still running."""


class WorkerLostError(RuntimeError):
    """Workers died while they ran a cell, again and again."""


class Executor(Protocol):
    """A way to run cells of work.

    Results come as they are finished, with the place of their cell. The first error ends the run; of the
    cells that are finished by then, none is lost.
    """

    def run(self, works: Sequence[Work], patterns: Patterns) -> Finished:
        """Yield the place of each cell in `works` and its record."""
        ...


@contextmanager
def naming(cell: object) -> Iterator[None]:
    """Add to whatever is raised that it was raised for this cell."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This happened in the cell: {cell}.")
        raise
