"""The printed numbers of the paper, row by row, under the labels of its tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from hebbian_descent.checks import unknown_name

RESULTS = ("mae_last20", "mae_last10", "mae_all", "mae_mean", "error_mean", "mean_hidden_activity")
"""Columns to judge a reproduction by; standard deviations, baselines and best rates are context."""

CONTEXT = (
    "mae_std",
    "error_std",
    "baseline_mae",
    "baseline_error",
    "target_baseline_mae",
    "best_learning_rate",
)

LABEL_OF_FILE = {
    "hetero_online_adaptive_offsets": "tab:Hetero_online_centered_shift",
    "auto_associative": "tab:auto_associative",
    "text_moving_offsets": "text:moving_MNIST",
    "text_auto_associative_hebb": "text:auto_associative_hebb",
}
"""Files that hold a single table, and therefore have no column for its name."""

FILES = (
    "hetero_online_centered",
    "hetero_online_uncentered",
    "hetero_online_adaptive_offsets",
    "hetero_online_weight_decay",
    "hetero_multi_epoch",
    "classification",
    "auto_associative",
)

TEXT_FILES = ("text_moving_offsets", "text_auto_associative_hebb")
"""Numbers that appear in the text only, under labels that begin with text:."""


@dataclass(frozen=True, eq=False)
class PrintedRow:
    """A printed row: its experiment, its results, and whether it is in bold."""

    file: str
    label: str
    """The LaTeX label of the table."""
    cell: Mapping[str, str]
    """What was run: datasets, activations, rule and so on, by the package's names."""
    results: Mapping[str, float]
    context: Mapping[str, float]
    bold: bool


def printed_rows(label: str | None = None) -> tuple[PrintedRow, ...]:
    """Return the rows of one label, or of all tables."""
    if label is None:
        return _all_rows(FILES)
    rows = _all_rows(FILES) + text_rows()
    found = tuple(row for row in rows if row.label == label)
    if not found:
        raise unknown_name("label of a table", label, {row.label for row in rows})
    return found


def text_rows() -> tuple[PrintedRow, ...]:
    """Return the numbers that are printed in the text only."""
    return _all_rows(TEXT_FILES)


@cache
def printed_words(label: str) -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """Return the possible values of a printed table's cells by column, and the names of its results."""
    rows = [row for row in _all_rows(FILES) + text_rows() if row.label == label]
    names = rows[0].cell if rows else ()
    words = {name: frozenset(row.cell[name] for row in rows) for name in names}
    return words, frozenset(result for row in rows for result in row.results)


@cache
def _all_rows(files: tuple[str, ...]) -> tuple[PrintedRow, ...]:
    return tuple(row for file in files for row in _rows_of(file))


def _rows_of(file: str) -> list[PrintedRow]:
    text = resources.files(__package__).joinpath("printed", f"{file}.csv").read_text(encoding="utf-8")
    return [_row(file, line) for line in csv.DictReader(text.splitlines())]


def _row(file: str, line: dict[str, str]) -> PrintedRow:
    label = LABEL_OF_FILE.get(file) or f"tab:{line.pop('table')}"
    bold = line.pop("bold") == "1"
    results = {name: float(line.pop(name)) for name in RESULTS if name in line}
    context = {name: float(line.pop(name)) for name in CONTEXT if name in line}
    # The rest names the experiment; the paper writes its datasets in capitals.
    cell = {name: value.lower() for name, value in line.items()}
    return PrintedRow(file, label, cell, results, context, bold)
