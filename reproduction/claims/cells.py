"""Cells of tables side by side: which of two was better, in our numbers and in the printed ones.

Two cells of one draw saw the same patterns, so their difference is taken draw by draw, which removes most
of what draws differ by; where nothing was drawn, trial by trial, which share initial weights and batches.
Where only means and spreads are available, chance follows from both spreads, which are then larger than
necessary: fewer differences are significant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from reproduction.comparison import Estimate, Key, cell_key, draws_by_cell, is_drawn, student
from reproduction.experiments.base import Measured
from reproduction.layout import heading, units
from reproduction.printed import PrintedRow, printed_rows
from reproduction.results import Results
from reproduction.run_context import RunContext

NEGLIGIBLE = 0.001
"""A thousandth of the range of the data; smaller differences count as ties however certain they are."""


class Cell(NamedTuple):
    """One number of a table: printed, and ours by draw or in summary."""

    cell: Mapping[str, str]
    printed: float
    baseline: float
    draws: Mapping[int, Measured]
    column: str
    summary: Estimate | None = None

    @property
    def estimate(self) -> Estimate | None:
        """Our mean with its spread: over the draws, over the trials of the only draw, or as summarized."""
        found = list(self.draws.values())
        if len(found) > 1:
            values = np.array([item.results[self.column] for item in found])
            return Estimate(float(values.mean()), float(values.std(ddof=1)), len(values))
        if found:
            only, n = found[0], found[0].n_trials
            return _of_trials(only.results[self.column], only.std[self.column], n)
        return self.summary

    @property
    def ours(self) -> float:
        """Our mean; NaN if it was not run."""
        return self.estimate.mean if self.estimate else np.nan

    @property
    def name(self) -> str:
        """Such as rand→adult sigmoid."""
        return f"{heading(self.cell)} {units(self.cell)}"


def _of_trials(mean: float, sd: float, n: int) -> Estimate:
    """Return the estimate from trials, whose deviation is not yet corrected to that of a sample."""
    return Estimate(mean, sd * np.sqrt(n / (n - 1)) if n > 1 else 0.0, n)


class Comparison(NamedTuple):
    """Two numbers of which the smaller one is better."""

    first: Cell
    second: Cell
    gain: float
    """By how much the first is better than the second; negative if it is worse, NaN if not run."""
    chance: float
    """How large a gain chance alone would leave; exceeded in 1 of 100 comparisons."""

    @property
    def is_run(self) -> bool:
        """Whether both cells have results."""
        return bool(np.isfinite(self.gain))

    @property
    def printed_gain(self) -> float:
        """The same in the printed numbers."""
        return self.second.printed - self.first.printed

    def reversed(self) -> Comparison:
        """Return the comparison of the second with the first."""
        return Comparison(self.second, self.first, -self.gain, self.chance)

    def sign(self, tolerance: float = NEGLIGIBLE) -> int:
        """1 where the first is better, −1 where it is worse, 0 on ties."""
        return int(np.sign(self.gain)) if abs(self.gain) > max(tolerance, self.chance) else 0

    def printed_sign(self, tolerance: float = NEGLIGIBLE) -> int:
        """The same for the printed numbers, whose spread is not known."""
        return int(np.sign(self.printed_gain)) if abs(self.printed_gain) > tolerance else 0


def cells(context: RunContext, labels: Iterable[str], column: str) -> dict[Key, Cell]:
    """Return the cells of one column of some tables; cells without draws have what the summary keeps."""
    results = Results(context.folder, context.effort)
    found: dict[Key, Cell] = {}
    for label in labels:
        draws = draws_by_cell(results.rows(label))
        # A run of your own is not completed by numbers of another one.
        kept = {} if results.own(label) else results.kept.numbers.get(label, {})
        for row in printed_rows(label):
            key = cell_key(row.cell)
            number = kept.get(key, {}).get(column)
            summary = _summary(row, number.estimate) if number else None
            by_draw = {measured.draw: measured for measured in draws.get(key, ())}
            found[key] = Cell(row.cell, row.results[column], _baseline(row), by_draw, column, summary)
    return found


def _summary(row: PrintedRow, estimate: Estimate) -> Estimate:
    return estimate if is_drawn(row) else _of_trials(estimate.mean, estimate.sd, estimate.n)


def _baseline(row: PrintedRow) -> float:
    names = ("target_baseline_mae", "baseline_mae", "baseline_error")
    return next((row.context[name] for name in names if name in row.context), np.nan)


def changed(cell: Mapping[str, str], **words: str) -> Key:
    """Return the key of the cell that differs in some values, such as the rule."""
    return cell_key({**cell, **words})


def compared(first: Cell, second: Cell) -> Comparison:
    """Compare two cells by the draws or trials that both have, otherwise by their means and spreads."""
    gains = _paired_gains(first, second)
    if (n := len(gains)) > 1:
        chance = float(student(n - 1) * gains.std(ddof=1) / np.sqrt(n))
        return Comparison(first, second, float(gains.mean()), chance)
    a, b = first.estimate, second.estimate
    if a is None or b is None:
        return Comparison(first, second, np.nan, np.nan)
    return Comparison(first, second, b.mean - a.mean, _chance(a, b))


def _paired_gains(first: Cell, second: Cell) -> Array:
    """Return second minus first by draw or, where both have the same draw only, by trial."""
    both = sorted(set(first.draws) & set(second.draws))
    cells = (second, first)
    if len(both) == 1:
        trials = [cell.draws[both[0]].trials.get(cell.column, ()) for cell in cells]
        n = min(map(len, trials))
        values = [np.array(found[:n], dtype=float) for found in trials]
    else:
        values = [np.array([cell.draws[draw].results[cell.column] for draw in both]) for cell in cells]
    gains: Array = values[0] - values[1]
    return gains


def compared_with_baseline(cell: Cell) -> Comparison:
    """Compare a cell with the printed baseline of its data, a number without spread."""
    fixed = Estimate(cell.baseline, 0.0, 1)
    baseline = Cell(cell.cell, cell.baseline, cell.baseline, {}, cell.column, fixed)
    return compared(cell._replace(draws={}, summary=cell.estimate), baseline)


def _chance(a: Estimate, b: Estimate) -> float:
    """Return the largest difference of two means that chance explains (Welch)."""
    variances = [(item.sd**2 / item.n, item.n - 1) for item in (a, b) if item.n > 1 and item.sd > 0]
    total = sum(variance for variance, _ in variances)
    if not total:
        return 0.0
    freedom = total**2 / sum(variance**2 / n for variance, n in variances)
    return float(student(freedom) * np.sqrt(total))
