"""Ours beside theirs: is a printed number one more draw of what we measure?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import stats

from hebbian_descent.paper.associations import Measured
from hebbian_descent.paper.printed import PrintedRow

CONFIDENCE = 0.99
CLOSE_ENOUGH = 0.005


class Verdict(NamedTuple):
    """What is to be said of one printed number."""

    row: PrintedRow
    column: str
    printed: float
    mean: float
    sd: float
    """Standard deviation over the draws of the patterns."""
    n_draws: int
    z: float
    """(printed − mean) / (sd·√(1 + 1/n)); NaN for a single draw."""
    agrees: bool
    learning_rate: float
    """The best one of the first draw."""

    @property
    def word(self) -> str:
        """The verdict in one word."""
        return "agrees" if self.agrees else "differs"


def compare(measured: Iterable[Measured]) -> list[Verdict]:
    """Judge every printed number for which there is a measurement.

    A number agrees if it lies within the 99 % prediction interval of one more draw (Student's t), or within
    0.005 of our mean.
    """
    by_row: dict[int, list[Measured]] = defaultdict(list)
    for found in measured:
        by_row[id(found.row)].append(found)
    return [_verdict(draws, column) for draws in by_row.values() for column in draws[0].row.results]


def _verdict(draws: list[Measured], column: str) -> Verdict:
    values = np.array([found.results[column] for found in draws])
    printed, n = draws[0].row.results[column], len(values)
    mean = float(values.mean())
    sd = float(values.std(ddof=1)) if n > 1 else np.nan
    spread = sd * np.sqrt(1 + 1 / n)
    bound = stats.t.ppf((1 + CONFIDENCE) / 2, df=n - 1) * spread if n > 1 else 0.0
    distance = abs(printed - mean)
    return Verdict(
        row=draws[0].row,
        column=column,
        printed=printed,
        mean=mean,
        sd=sd,
        n_draws=n,
        z=float((printed - mean) / spread) if n > 1 and spread > 0 else np.nan,
        agrees=bool(distance <= CLOSE_ENOUGH or distance <= bound),
        learning_rate=min(draws, key=lambda found: found.draw).learning_rate,
    )


class Summary(NamedTuple):
    """Counts over the verdicts of one column of some tables."""

    column: str
    n_results: int
    n_agree: int
    rms_z: float
    """Near 1 if the printed numbers scatter about ours as our own draws do."""


def summarise(verdicts: Iterable[Verdict]) -> list[Summary]:
    """Return counts for each column."""
    by_column: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_column[verdict.column].append(verdict)
    return [
        Summary(
            column,
            len(found),
            sum(verdict.agrees for verdict in found),
            float(np.sqrt(np.nanmean([verdict.z**2 for verdict in found])))
            if any(np.isfinite(verdict.z) for verdict in found)
            else np.nan,
        )
        for column, found in by_column.items()
    ]
