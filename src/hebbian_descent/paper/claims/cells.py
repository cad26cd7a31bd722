"""Cells of tables side by side: which of two was better, in our numbers and in the printed ones.

Two cells of one draw saw the same patterns, so their difference is taken draw by draw; that takes away most
of what draws differ by. Where nothing was drawn the trials tell how far chance goes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit  # Student's t; scipy.stats would take half a second to import

from hebbian_descent.paper.claims.base import Judgement, Word
from hebbian_descent.paper.comparison import CONFIDENCE, cell_key
from hebbian_descent.paper.experiments.base import Measured
from hebbian_descent.paper.layout import data_name, units
from hebbian_descent.paper.printed import PrintedRow, printed_rows
from hebbian_descent.paper.results import Results
from hebbian_descent.paper.run_context import RunContext

NEGLIGIBLE = 0.001
"""A thousandth of the range of the data; smaller differences count as ties however certain they are."""
MOSTLY = 0.9
MAJORITY = 0.5
BY_CHANCE = 0.01
"""Share of exceptions that a confidence of 99 % lets pass."""

Key = tuple[tuple[str, str], ...]


class Cell(NamedTuple):
    """One number of a table: printed, and ours by draw."""

    cell: Mapping[str, str]
    printed: float
    baseline: float
    draws: Mapping[int, Measured]
    column: str

    @property
    def ours(self) -> float:
        """Our mean over the draws; NaN if it was not run."""
        values = [found.results[self.column] for found in self.draws.values()]
        return float(np.mean(values)) if values else np.nan


class Comparison(NamedTuple):
    """Two cells of which the smaller number is the better one."""

    first: Cell
    second: Cell
    gain: float
    """By how much the first is better than the second; negative if it is worse, NaN if not run."""
    chance: float
    """How large a gain chance alone would leave; exceeded in 1 of 100 comparisons."""

    @property
    def printed_gain(self) -> float:
        """The same in the printed numbers."""
        return self.second.printed - self.first.printed

    def sign(self, tolerance: float = NEGLIGIBLE) -> int:
        """1 where the first is better, −1 where it is worse, 0 on ties."""
        return int(np.sign(self.gain)) if abs(self.gain) > max(tolerance, self.chance) else 0

    def printed_sign(self, tolerance: float = NEGLIGIBLE) -> int:
        """The same for the printed numbers, whose spread is not known."""
        return int(np.sign(self.printed_gain)) if abs(self.printed_gain) > tolerance else 0

    @property
    def name(self) -> str:
        """Such as rand→adult sigmoid."""
        return f"{data_name(self.first.cell)} {units(self.first.cell)}"


def cells(context: RunContext, labels: Iterable[str], column: str) -> dict[Key, Cell]:
    """Return the cells of one column of some tables."""
    results = Results(context.folder, context.effort)
    draws: dict[tuple[str, Key], dict[int, Measured]] = defaultdict(dict)
    found: dict[Key, Cell] = {}
    for label in labels:
        for measured in results.rows(label):
            draws[label, cell_key(measured.cell)][measured.draw] = measured
        for row in printed_rows(label):
            key = cell_key(row.cell)
            found[key] = Cell(row.cell, row.results[column], _baseline(row), draws[label, key], column)
    return found


def _baseline(row: PrintedRow) -> float:
    names = ("target_baseline_mae", "baseline_mae", "baseline_error")
    return next((row.context[name] for name in names if name in row.context), np.nan)


def changed(cell: Mapping[str, str], **words: str) -> Key:
    """Return the key of the cell that differs in some values, such as the rule."""
    return cell_key({**cell, **words})


def compared(first: Cell, second: Cell) -> Comparison:
    """Compare two cells by the draws that both have."""
    column = first.column
    both = sorted(set(first.draws) & set(second.draws))
    if not both:
        return Comparison(first, second, np.nan, np.nan)
    pairs = [(first.draws[draw], second.draws[draw]) for draw in both]
    gains = np.array([b.results[second.column] - a.results[column] for a, b in pairs])
    quantile = (1 + CONFIDENCE) / 2
    if len(gains) > 1:
        n = len(gains)
        chance = float(stdtrit(n - 1, quantile) * gains.std(ddof=1) / np.sqrt(n))
    else:
        chance = _chance_over_trials(*pairs[0], column, second.column, quantile)
    return Comparison(first, second, float(gains.mean()), chance)


def _chance_over_trials(a: Measured, b: Measured, column: str, other_column: str, quantile: float) -> float:
    n = min(a.n_trials, b.n_trials)
    if n < 2:
        return 0.0
    # Deviations are those of the trials themselves; n − 1 turns them into an estimate of the spread.
    error = np.sqrt((a.std[column] ** 2 + b.std[other_column] ** 2) / (n - 1))
    return float(stdtrit(2 * (n - 1), quantile) * error)


class Tally(NamedTuple):
    """How often the first of two cells was better, equal or worse."""

    better: int
    tied: int
    worse: int
    n_run: int
    n: int
    printed: tuple[int, int, int]

    def __str__(self) -> str:
        return (
            f"better in {self.better} of {self.n_run}, equal in {self.tied}, worse in {self.worse} "
            f"(print: {' / '.join(map(str, self.printed))} of {self.n})"
        )

    @property
    def word(self) -> Word:
        """The verdict on "is better": in 90 % of the cells and worse in none; in half of them; in fewer."""
        if self.n_run < self.n:
            return "not run"
        if self.better >= MOSTLY * self.n and self.worse <= BY_CHANCE * self.n:
            return "holds"
        return "holds with limits" if self.better >= MAJORITY * self.n else "does not hold"


def tally(comparisons: Iterable[Comparison], tolerance: float = NEGLIGIBLE) -> Tally:
    """Count signs: ours where both cells were run, and the printed ones everywhere."""
    found = list(comparisons)
    signs = [comparison.sign(tolerance) for comparison in found if np.isfinite(comparison.gain)]
    printed = [comparison.printed_sign(tolerance) for comparison in found]
    return Tally(
        signs.count(1),
        signs.count(0),
        signs.count(-1),
        n_run=len(signs),
        n=len(found),
        printed=(printed.count(1), printed.count(0), printed.count(-1)),
    )


def not_run(context: RunContext, labels: Iterable[str], n_run: int, n: int, so_far: str) -> Judgement:
    """Return no verdict, with the command that would lead to one."""
    command = context.shown_command("run", *labels, *([] if context.effort.quick else ["--draws", "10"]))
    return Judgement(
        "not run", f"{n_run} of {n} comparisons were run; `{command}` computes them. So far: {so_far}"
    )


def worst(comparisons: Iterable[Comparison]) -> str:
    """Return the comparison in which the first is worst, with its numbers."""
    run = [comparison for comparison in comparisons if np.isfinite(comparison.gain)]
    found = min(run, key=lambda comparison: comparison.gain)
    return (
        f"{found.name} {found.first.ours:.4f} against {found.second.ours:.4f} "
        f"(print: {found.first.printed:.4f}, {found.second.printed:.4f})"
    )
