"""A measure compared between the values of one setting: means, paired differences, and a table of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from hebbian_descent.rules import rule_title
from reproduction.rows import Rows, by_repetition
from reproduction.studies.base import contrast


class Comparison(NamedTuple):
    """What a table shows side by side; a cell is a combination of all other settings."""

    measure: str
    axis: str
    """The setting whose values are compared."""
    cells: Mapping[str, str]
    """Headings of the settings that name a cell; "pair" is the input and the target."""
    values: Mapping[str, str]
    """Headings of the compared values."""
    differences: Mapping[str, tuple[str, str]] = {}
    """By heading: this, less that."""
    last: Mapping[str, str] = {}
    """Headings of compared values that stand behind the differences, such as a baseline."""

    def difference(self, rows: Rows, this: str, that: str) -> pd.DataFrame:
        """Return by how much the measure is larger for `this` than for `that`, a line per cell."""
        return contrast(rows, self.measure, self.axis, this, that).to_frame("difference")

    def table(self, rows: Rows) -> pd.DataFrame:
        """Return the means over all draws, and the paired differences with their intervals."""
        found = means(rows, self.measure, self.axis).map("{:.4f}".format)
        for heading, (this, that) in self.differences.items():
            found[heading] = contrast(rows, self.measure, self.axis, this, that).map(str)
        names = {**self.cells, **self.values, **{name: name for name in self.differences}, **self.last}
        return as_table(found, names)


def means(rows: Rows, measure: str, axis: str) -> pd.DataFrame:
    """Return the mean of a measure over its draws: a line per cell, a column per value of an axis."""
    return by_axis(by_repetition(rows, measure).mean(axis=1), axis)


def by_axis(found: pd.Series, axis: str) -> pd.DataFrame:
    """Return numbers of all cells with a column per value of an axis, lines in the order of the rows."""
    cells = found.index.droplevel(axis).unique()
    return found.unstack(axis).reindex(cells).rename_axis(columns=None)


def as_table(found: pd.DataFrame, headings: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of texts: the chosen settings and columns, under their headings."""
    table = found.reset_index().astype(str)
    if "input" in table:
        table["pair"] = table["input"] + " → " + table["target"]
    if "rule" in table:
        table["rule"] = table["rule"].map(rule_title)
    return table[list(headings)].set_axis(list(headings.values()), axis=1)
