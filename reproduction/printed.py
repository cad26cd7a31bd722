"""The printed numbers of the paper, row by row, under the labels of its tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from hebbian_descent.checks import unknown_name

FOLDER = Path(__file__).parent / "printed"

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

FILES = {
    "hetero_online_centered": "",
    "hetero_online_uncentered": "",
    "hetero_online_adaptive_offsets": "tab:Hetero_online_centered_shift",
    "hetero_online_weight_decay": "",
    "hetero_multi_epoch": "",
    "classification": "",
    "auto_associative": "tab:auto_associative",
    "text_moving_offsets": "text:moving_MNIST",
    "text_auto_associative_hebb": "text:auto_associative_hebb",
}
"""The files, with the label where all rows have the same one; text: is for numbers in the text only."""


class PrintedRow(NamedTuple):
    """A printed row: its table, what was run, its results, and whether it is in bold."""

    file: str
    label: str
    """The LaTeX label of the table."""
    cell: Mapping[str, str]
    """What was run: datasets, activations, rule and so on, by the package's names."""
    results: Mapping[str, float]
    context: Mapping[str, float]
    bold: bool

    @property
    def data(self) -> str:
        """What is learned, with its variant, such as rand→adult centered."""
        cell = self.cell
        data = f"{cell['input']}→{cell['target']}" if "input" in cell else cell["dataset"]
        return f"{data} {cell.get('offsets') or cell.get('centering') or ''}".strip()

    @property
    def units(self) -> str:
        """The activation, or that of hidden and of output units."""
        cell = self.cell
        return cell.get("activation") or f"{cell['hidden_activation']}/{cell['output_activation']}"

    @property
    def name(self) -> str:
        """The row in words, such as rand→adult sigmoid hebb."""
        return f"{self.data} {self.units} {self.cell['rule']}"


def printed_rows(label: str | None = None) -> tuple[PrintedRow, ...]:
    """Return the rows of one label, or of all."""
    rows = _all_rows()
    if label is None:
        return rows
    found = tuple(row for row in rows if row.label == label)
    if not found:
        raise unknown_name("label of a table", label, {row.label for row in rows})
    return found


@cache
def printed_numbers() -> pd.DataFrame:
    """Return one line per printed number: row (its place in `printed_rows`), experiment, measure, printed."""
    lines = [
        {"row": place, "experiment": row.label, "measure": measure, "printed": number}
        for place, row in enumerate(printed_rows())
        for measure, number in (*row.results.items(), *row.context.items())
    ]
    return pd.DataFrame(lines)


def notes(name: str) -> list[dict[str, str]]:
    """Return a small table of notes: figures, misprints, protocol or reasons."""
    text = (FOLDER.parent / "notes" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def _all_rows() -> tuple[PrintedRow, ...]:
    return tuple(row for file, label in FILES.items() for row in _rows_of(file, label))


def _rows_of(file: str, label: str) -> list[PrintedRow]:
    text = (FOLDER / f"{file}.csv").read_text(encoding="utf-8")
    return [_row(file, label, line) for line in csv.DictReader(text.splitlines())]


def _row(file: str, label: str, line: dict[str, str]) -> PrintedRow:
    label = label or f"tab:{line.pop('table')}"
    bold = line.pop("bold") == "1"
    results = {name: float(line.pop(name)) for name in RESULTS if name in line}
    context = {name: float(line.pop(name)) for name in CONTEXT if name in line}
    # The rest names the experiment; the paper writes its datasets in capitals.
    cell = {name: value.lower() for name, value in line.items()}
    return PrintedRow(file, label, cell, results, context, bold)
