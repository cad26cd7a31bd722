"""Cells of tables side by side: which of two is better, in our numbers and in the printed ones.

Two cells of one draw saw the same patterns, so their difference is taken draw by draw, which removes most of
what draws differ by; where nothing was drawn, trial by trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from reproduction.compare import is_drawn
from reproduction.context import Context
from reproduction.evidence import gains
from reproduction.printed import PrintedRow, printed_rows
from reproduction.rows import Rows, by_repetition
from reproduction.running import rows_of

NEGLIGIBLE = 0.001
"""A thousandth of the range of the data; smaller differences count as ties however certain they are."""

SETTINGS = (
    *("input", "target", "dataset", "activation", "hidden_activation", "output_activation"),
    *("rule", "centering", "offsets"),
)
BASELINES = ("target_baseline_mae", "baseline_mae", "baseline_error")

Cells: TypeAlias = pd.DataFrame
"""A line per cell: its settings, names and printed numbers, and ours in a column per draw or trial."""
Pairs: TypeAlias = pd.DataFrame
"""A line per cell, compared with another one: gain, chance, n, both numbers and the printed ones."""


class Numbers:
    """The numbers that claims are judged by, each table read once."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._cells: dict[tuple[str, str], Cells] = {}

    def rows(self, experiment: str) -> Rows:
        """Return the rows of an experiment; empty if it was not run."""
        return rows_of(experiment, self.context)

    def cells(self, label: str, measure: str) -> Cells:
        """Return all printed cells of a table with our numbers, which are NaN where nothing was run."""
        if (label, measure) not in self._cells:
            self._cells[label, measure] = self._read(label, measure)
        return self._cells[label, measure]

    def _read(self, label: str, measure: str) -> Cells:
        printed, rows = printed_rows(label), self.rows(label)
        cells = pd.DataFrame([_line(row, measure) for row in printed])
        if not len(rows):
            return cells
        if is_drawn(printed[0]):
            rows = rows.assign(trial=rows["draw"])  # trials of a single draw are no repetitions
        ours, diverged = by_repetition(rows, measure), rows["value"].isna()
        if diverged.any():  # a cell is not judged by the draws in which it did not diverge
            ours = ours[~by_repetition(rows.assign(value=diverged), measure).any(axis=1)]
        return cells.join(ours, on=list(ours.index.names))


class Family(NamedTuple):
    """Tables that belong together, and the measure that they are judged by."""

    name: str
    labels: tuple[str, ...]
    measure: str

    def __str__(self) -> str:
        return f"{self.name} ({self.measure})"

    def cells(self, numbers: Numbers) -> Cells:
        """Return the cells of all these tables."""
        return pd.concat([numbers.cells(label, self.measure) for label in self.labels], ignore_index=True)


def _line(row: PrintedRow, measure: str) -> dict[str, Any]:
    # Tables that are centered or uncentered as a whole have no column for it.
    centering = "uncentered" if "uncentered" in row.label else "centered"
    return {
        **dict.fromkeys(SETTINGS, ""),
        "centering": centering,
        **row.cell,
        "label": row.label,
        "data": row.data,
        "units": row.units,
        "printed": row.results[measure],
        "baseline": next((row.context[name] for name in BASELINES if name in row.context), np.nan),
    }


def repetitions(cells: Cells) -> pd.DataFrame:
    """Return our numbers alone."""
    return cells[[name for name in cells if not isinstance(name, str)]]


def beside_cells(cells: Cells, pool: Cells, changes: Mapping[str, str]) -> Pairs:
    """Compare cells with those of a pool that differ in some settings; cells without one are left out."""
    settings = list(SETTINGS)
    others = cells[settings].assign(**changes).merge(pool, how="left", on=settings, validate="m:1")
    return _pairs(cells, repetitions(others), others["printed"])


def beside_constant(cells: Cells, constant: pd.Series) -> Pairs:
    """Compare cells with a number each, which has no spread."""
    return _pairs(cells, pd.DataFrame(dict.fromkeys(repetitions(cells), constant)), constant)


def _pairs(cells: Cells, others: pd.DataFrame, printed: pd.Series) -> Pairs:
    ours = repetitions(cells)
    pairs = pd.concat([cells.drop(columns=list(ours)), gains(ours, others)], axis=1)
    pairs = pairs.assign(ours=ours.mean(axis=1), other=others.mean(axis=1), printed_other=printed)
    return pairs[printed.notna()]


def reversed_(pairs: Pairs) -> Pairs:
    """Return the comparisons of the second with the first."""
    second = {"ours": "other", "other": "ours", "printed": "printed_other", "printed_other": "printed"}
    return pairs.rename(columns=second).assign(gain=-pairs["gain"])


def hardest(rivals: Sequence[Pairs]) -> Pairs:
    """Return, for each cell, the comparison with the smallest gain; one that was not run if not all were.

    A certain loss counts before a larger one that may be chance. The printed rival is chosen apart from ours.
    """
    everything = pd.concat([pairs.assign(sign=sign(pairs)) for pairs in rivals])
    found = _first(everything.sort_values(["sign", "gain"], kind="stable", na_position="first"))
    printed_gain = everything["printed_other"] - everything["printed"]
    printed = _first(everything.assign(printed_gain=printed_gain).sort_values("printed_gain", kind="stable"))
    return found.assign(printed=printed["printed"], printed_other=printed["printed_other"])


def _first(pairs: Pairs) -> Pairs:
    return pairs.groupby(level=0).head(1).sort_index()


def sign(pairs: Pairs, tolerance: float = NEGLIGIBLE) -> pd.Series:
    """Return 1 where the first is better, −1 where it is worse, 0 on ties, NaN where it was not run."""
    is_certain = pairs["gain"].abs() > np.maximum(tolerance, pairs["chance"])
    return np.sign(pairs["gain"]).where(is_certain, 0.0).mask(pairs["gain"].isna())


def as_printed(pairs: Pairs) -> Pairs:
    """Return the same comparisons by the printed numbers, whose spread is not known."""
    gain = pairs["printed_other"] - pairs["printed"]
    return pairs.assign(gain=gain, chance=0.0, ours=pairs["printed"], other=pairs["printed_other"])


def listed(pairs: Pairs) -> str:
    """Return the names of cells by their data, such as rand→rand (sigmoid, step)."""
    units: Iterable[tuple[Any, pd.Series]] = pairs.groupby("data", sort=False)["units"]
    return "; ".join(f"{data} ({', '.join(names.unique())})" for data, names in units)
