"""Comparison of printed results with ours: would one more run give the printed number?

Where patterns were drawn, the printed number counts as one more draw; where whole datasets were used, it is
compared with ours by the spread over the trials of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit  # Student's t; scipy.stats would take half a second to import

from hebbian_descent.paper.experiments.base import Measured
from hebbian_descent.paper.printed import PrintedRow, printed_rows

CONFIDENCE = 0.99
CLOSE_ENOUGH = 0.005
RELATIVELY_CLOSE = 0.05
"""Tolerance for whole datasets, whose results differ by more than one draw of patterns explains."""
N_PRINTED_TRIALS = 10
ROUNDING = 1e-4 / np.sqrt(12)
"""Standard deviation of the rounding error of four printed digits."""

STD_OF = {"error_mean": "error_std", "mae_mean": "mae_std"}
"""The printed standard deviation that belongs to a result."""


class Verdict(NamedTuple):
    """The verdict on one printed number."""

    row: PrintedRow
    column: str
    printed: float
    mean: float = np.nan
    sd: float = np.nan
    """Standard deviation over the draws of the patterns, or over the trials where nothing was drawn."""
    n: int = 0
    """Number of draws, or of trials where nothing was drawn; 0 if it was not run."""
    z: float = np.nan
    """Distance of the printed number from ours, in standard deviations of that distance."""
    agrees: bool = False
    learning_rate: float = np.nan
    """The best one of the first draw."""
    weight_decay: float = np.nan

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        if self.n == 0:
            return "not run"
        if self.agrees:
            return "agrees"
        return "undecided" if self.n == 1 else "differs"  # one draw says nothing about the spread


def cell_key(cell: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return a key that identifies a row of a table, whatever the order of its columns."""
    return tuple(sorted(cell.items()))


def compare(label: str, measured: Iterable[Measured]) -> list[Verdict]:
    """Judge every printed number of a table, including those without a measurement."""
    return compare_rows(printed_rows(label), measured)


def compare_rows(rows: Iterable[PrintedRow], measured: Iterable[Measured]) -> list[Verdict]:
    """Judge printed rows; if a draw was measured several times, the last measurement counts."""
    by_cell: dict[tuple[tuple[str, str], ...], dict[int, Measured]] = defaultdict(dict)
    for found in measured:
        by_cell[cell_key(found.cell)][found.draw] = found
    return [
        _verdict(row, column, [draws[number] for number in sorted(draws)])
        for row in rows
        for column in row.results
        for draws in [by_cell.get(cell_key(row.cell), {})]
    ]


def _verdict(row: PrintedRow, column: str, draws: list[Measured]) -> Verdict:
    if not draws:
        return Verdict(row, column, row.results[column])
    judge = _as_one_more_draw if is_drawn(row) else _by_spread_over_trials
    return judge(row, column, draws)._replace(
        learning_rate=draws[0].learning_rate, weight_decay=draws[0].weight_decay
    )


def is_drawn(row: PrintedRow) -> bool:
    """Whether the row is about 100 patterns drawn at random."""
    return "input" in row.cell


def _as_one_more_draw(row: PrintedRow, column: str, draws: list[Measured]) -> Verdict:
    """Agree within the 99 % prediction interval of one more draw (Student's t), or within 0.005."""
    values = np.array([found.results[column] for found in draws])
    printed, n, mean = row.results[column], len(values), float(values.mean())
    sd = float(values.std(ddof=1)) if n > 1 else np.nan
    spread = sd * np.sqrt(1 + 1 / n)
    bound = stdtrit(n - 1, (1 + CONFIDENCE) / 2) * spread if n > 1 else 0.0
    return Verdict(
        row,
        column,
        printed,
        mean,
        sd,
        n,
        z=float((printed - mean) / np.hypot(spread, ROUNDING)) if n > 1 else np.nan,
        agrees=bool(abs(printed - mean) <= max(CLOSE_ENOUGH, bound)),
    )


def _by_spread_over_trials(row: PrintedRow, column: str, draws: list[Measured]) -> Verdict:
    """Agree within 0.005, within 5 %, or where the means of both sets of trials differ by chance (Welch)."""
    ours = draws[0]
    printed, mean, sd, n = row.results[column], ours.results[column], ours.std[column], ours.n_trials
    printed_sd = row.context.get(STD_OF.get(column, ""), sd)  # as large as ours where none is printed
    # Printed deviations are over trials; ours is turned into an estimate of the same.
    variances = np.array([printed_sd**2 / N_PRINTED_TRIALS, sd**2 / max(n - 1, 1)])
    spread = float(np.sqrt(variances.sum()))
    bound = 0.0
    if n > 1 and spread > 0:
        freedom = variances.sum() ** 2 / (variances**2 / [N_PRINTED_TRIALS - 1, n - 1]).sum()
        bound = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * spread
    return Verdict(
        row,
        column,
        printed,
        mean,
        sd,
        n,
        z=float((printed - mean) / np.hypot(spread, ROUNDING)) if np.isfinite(spread) else np.nan,
        agrees=bool(abs(printed - mean) <= max(CLOSE_ENOUGH, RELATIVELY_CLOSE * abs(printed), bound)),
    )
