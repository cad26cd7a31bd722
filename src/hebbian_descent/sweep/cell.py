"""One cell of work, to be run anywhere, and its description for the store."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent import native
from hebbian_descent.engines.base import CellResult
from hebbian_descent.engines.choice import ENGINES, Choice
from hebbian_descent.engines.grid import Grid, GridCell, labels_of_rates
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Record, provenance
from hebbian_descent.thread_pools import one_thread

NUMERICS_VERSION = 1
"""Increased when a built-in rule, activation, measure or engine changes its numbers beyond rounding."""


@dataclass(frozen=True, eq=False)
class Work:
    """A cell with everything needed to run it except the patterns, small enough to send anywhere."""

    cell: GridCell[Any, Any]
    grid: Grid[Any, Any]
    choice: Choice
    memory_budget: int

    def run(self, patterns: Patterns, threads: int = 1) -> Record:
        """Compute the cell; its record does not have its specification yet."""
        start = time.perf_counter()
        with one_thread():
            result = ENGINES[self.choice.engine](
                self.cell, self.grid, patterns, threads=threads, memory_budget=self.memory_budget
            )
            origin = provenance()
        return Record(
            specification={},  # added where the record is stored, and hashed then
            axes=self._axes(patterns),
            values={**result.values, "diverged_at": result.diverged_at},
            seconds=time.perf_counter() - start,
            notes={
                "engine": self.choice.engine,
                "reason": self.choice.reason,
                "threads": threads,
                "compiled_for": native.choice().level or "nothing",
            },
            provenance=origin,
        )

    def fits(self, record: Record, patterns: Patterns) -> bool:
        """Return whether a record has the axes and the arrays of this cell, since a store is only data."""
        axes = self._axes(patterns)
        expected = dict.fromkeys(self.grid.value_names, (self.grid.dtype.kind, 3))
        found = {name: (array.dtype.kind, array.ndim) for name, array in record.values.items()}
        return (
            found == {**expected, "diverged_at": ("i", 2)}
            and list(record.axes) == list(axes)
            and all(np.array_equal(record.axes[name], axes[name]) for name in axes)
        )

    def _axes(self, patterns: Patterns) -> dict[str, npt.NDArray[Any]]:
        return {
            "learning_rate": labels_of_rates(self.grid.learning_rates),
            "trial": np.array(self.grid.trials),
            "pattern": np.arange(len(patterns.evaluated_inputs)),
        }

    def specification(self, patterns: Patterns) -> Mapping[str, Any]:
        """Everything that the numbers depend on, including the engine, since engines differ by rounding."""
        return {
            "numerics_version": NUMERICS_VERSION,
            **self.grid.specification(self.cell),
            "engine": self.choice.engine,
            **patterns.specification,
        }


def cell_result(record: Record) -> CellResult:
    """Return the result of a cell from its record."""
    values = dict(record.values)
    return CellResult(diverged_at=values.pop("diverged_at").astype(np.int64), values=values)
