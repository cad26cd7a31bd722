"""Engines, which run all learning rates and trials of one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.grid import Grid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.measures import Measure

MEMORY_BUDGET = 2**30

NEVER = -1

STEPS_BETWEEN_FLUSHES = 16
"""Steps after which weights that have decayed below full precision are set to 0; decay takes far longer."""


@dataclass(frozen=True, eq=False)
class CellResult:
    """The results of the runs of a cell."""

    values: Mapping[str, Array]
    """Each measure, (n_learning_rates, n_trials, n_evaluated); NaN for diverged runs."""
    diverged_at: npt.NDArray[np.int64]
    """The step at which a run diverged, or −1, (n_learning_rates, n_trials)."""
    measures: tuple[Measure, ...] = ()
    """The measures that engines fill in."""


class Engine(Protocol):
    """A way to run a cell, of layers or of auto-encoders; all agree with the plain loop up to rounding."""

    def __call__(
        self, cell: Any, grid: Any, patterns: Patterns, /, *, threads: int, memory_budget: int
    ) -> CellResult:
        """Run the cell on at most `threads` processors, within the budget of bytes for its arrays."""
        ...


def empty_result(grid: Grid[Any, Any], patterns: Patterns) -> CellResult:
    """Return a result to be filled run by run."""
    runs = (len(grid.learning_rates), len(grid.trials))
    n_evaluated = len(patterns.evaluated_inputs)
    return CellResult(
        values={name: np.full((*runs, n_evaluated), np.nan, grid.dtype) for name in grid.value_names},
        diverged_at=np.full(runs, NEVER, dtype=np.int64),
        measures=grid.measures,
    )


def measure_into(
    result: CellResult, rate: int, trial: int, targets: Array, output: Array, rows: slice = slice(None)
) -> None:
    """Fill the entries of one run with its measures, or those of some evaluated patterns."""
    for measure in result.measures:
        result.values[measure.name][rate, trial, rows] = measure.checked(targets, output)
