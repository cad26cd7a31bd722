"""The tables of the report: ours beside the printed numbers, with counts for each column."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from hebbian_descent.paper.comparison import Summary, Verdict, compare, summarise
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.layout import Line, is_error, lines
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.tables import TABLES

COLUMN_TITLES = {
    "mae_last20": "Mean absolute error, last 20 patterns",
    "mae_last10": "Mean absolute error, last 10 patterns",
    "mae_all": "Mean absolute error, all patterns",
    "mae_mean": "Mean absolute error",
    "error_mean": "Misclassified share of the test set",
    "mean_hidden_activity": "Mean hidden activity",
}


class Column(NamedTuple):
    """One measure of a table."""

    name: str
    title: str
    rules: list[str]
    lines: list[Line]
    summary: Summary

    @property
    def is_error(self) -> bool:
        """Whether small is good, and a baseline tells how good."""
        return is_error(self.name)


class PaperTable(NamedTuple):
    """A table of the paper with all that was measured for it."""

    label: str
    title: str
    verdicts: list[Verdict]
    columns: list[Column]
    seconds: float
    """How long its jobs took, one after another."""

    @property
    def n_run(self) -> int:
        """The number of printed results that there are measurements for."""
        return sum(verdict.n > 0 for verdict in self.verdicts)

    @property
    def n_draws(self) -> int:
        """The largest number of draws, or of trials, behind a result."""
        return max(verdict.n for verdict in self.verdicts)


def paper_tables(folder: Path, effort: Effort) -> list[PaperTable]:
    """Return every table of the paper, also those of which nothing was run."""
    measurements = Measurements(folder, effort)
    return [_table(label, measurements) for label in TABLES]


def _table(label: str, measurements: Measurements) -> PaperTable:
    found = measurements.read(label)
    verdicts = compare(label, (row for measurement in found for row in measurement.rows))
    rules = list(dict.fromkeys(verdict.row.cell["rule"] for verdict in verdicts))
    columns = [
        Column(summary.column, COLUMN_TITLES[summary.column], rules, lines(verdicts, summary.column), summary)
        for summary in summarise(verdicts)
    ]
    seconds = sum(measurement.seconds for measurement in found)
    return PaperTable(label, TABLES[label].title, verdicts, columns, seconds)
