"""Content of the report: the paper's tables next to ours, the main finding, and tables without verdicts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from reproduction.comparison import Verdict
from reproduction.figures.scatter import CENTERED
from reproduction.index import INDEX
from reproduction.layout import Line, averaged, is_error, lines
from reproduction.measurements import Measurements, efforts_in
from reproduction.report.images import Image, figure_images
from reproduction.results import Results
from reproduction.run_context import Effort
from reproduction.summaries import Summary, summarise
from reproduction.tables import TABLES

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
        """Whether the column is an error, where smaller is better."""
        return is_error(self.name)


class PaperTable(NamedTuple):
    """A table of the paper with its measurements."""

    label: str
    title: str
    verdicts: list[Verdict]
    columns: list[Column]
    seconds: float
    """How long its jobs took, one after another."""

    @property
    def n_run(self) -> int:
        """Number of printed results with measurements."""
        return sum(verdict.n > 0 for verdict in self.verdicts)

    @property
    def n_draws(self) -> int:
        """The largest number of draws, or of trials, of any result."""
        return max(verdict.n for verdict in self.verdicts)


def paper_tables(results: Results) -> list[PaperTable]:
    """Return every table of the paper, whether it was run or not."""
    return [_table(label, results) for label in TABLES]


def _table(label: str, results: Results) -> PaperTable:
    verdicts = results.verdicts(label)
    rules = list(dict.fromkeys(verdict.row.cell["rule"] for verdict in verdicts))
    columns = [
        Column(summary.column, COLUMN_TITLES[summary.column], rules, lines(verdicts, summary.column), summary)
        for summary in summarise(verdicts)
    ]
    return PaperTable(label, TABLES[label].title, verdicts, columns, results.seconds(label))


class Finding(NamedTuple):
    """How often Hebbian-descent recalls the newest patterns best, each learned once in a centered network."""

    n_best: int
    """Alone, or equal to another rule in all printed digits."""
    n_experiments: int


def main_finding(tables: Iterable[PaperTable]) -> Finding:
    """Count the experiments in which every rule was run."""
    lines = [
        line
        for table in tables
        for column in table.columns
        if table.label in CENTERED and column.name == "mae_last20"
        for line in column.lines
        if all(verdict.n for verdict in line.by_rule.values())
    ]
    return Finding(sum("hebbian_descent" in line.best for line in lines), len(lines))


class PlainTable(NamedTuple):
    """Measurements without verdicts, averaged over the draws."""

    label: str
    title: str
    headings: list[str]
    lines: list[list[str | float]]


class OtherEffort(NamedTuple):
    """Results of a protocol other than that of the page."""

    effort: Effort
    title: str
    options: str
    """Its command-line options."""
    tables: list[PlainTable]
    images: list[Image]


def own_tables(folder: Path, effort: Effort) -> list[PlainTable]:
    """Return the custom tables."""
    measurements = Measurements(folder, effort)
    return [_plain(label, measurements) for label in measurements.labels() if label not in INDEX]


def other_efforts(folder: Path, shown: Effort) -> list[OtherEffort]:
    """Return the results of all efforts except the one shown and the paper's."""
    return [
        OtherEffort(
            effort,
            "A quick look" if effort.quick else "Another protocol",
            shlex.join(effort.options),
            [_plain(label, measurements) for label in measurements.labels()],
            [image for image in figure_images(folder, effort) if image.source and image.is_measured],
        )
        for effort in efforts_in(folder)
        if not effort.is_the_papers and effort.name != shown.name
        for measurements in [Measurements(folder, effort)]
    ]


def _plain(label: str, measurements: Measurements) -> PlainTable:
    headings, lines = averaged(measurements.rows(label))
    return PlainTable(label, measurements.read(label)[0].title, headings, lines)
