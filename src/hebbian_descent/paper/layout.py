"""How the rows of a table are arranged and named, wherever they are shown: terminal, files, report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import nan
from typing import NamedTuple

from hebbian_descent.paper.comparison import Verdict
from hebbian_descent.paper.experiments.base import Measured

DIGITS = 4
"""As many as are printed and shown; what is equal in them is equally good."""


class Line(NamedTuple):
    """A line of a table: what it is about, and a verdict for each rule."""

    heading: str
    units: str
    by_rule: Mapping[str, Verdict]

    @property
    def best(self) -> list[str]:
        """The rules with our smallest error; none where there is only one."""
        return _smallest({rule: verdict for rule, verdict in self.by_rule.items() if verdict.n}, "mean")

    @property
    def best_in_print(self) -> list[str]:
        """The rules with the smallest printed error; none where there is only one."""
        return _smallest(self.by_rule, "printed")


def is_error(column: str) -> bool:
    """Return whether a column is the better the smaller; activities are not."""
    return column != "mean_hidden_activity"


def _smallest(verdicts: Mapping[str, Verdict], name: str) -> list[str]:
    values = {
        rule: round(getattr(verdict, name), DIGITS)
        for rule, verdict in verdicts.items()
        if is_error(verdict.column)
    }
    if len(values) < 2:
        return []
    return [rule for rule, value in values.items() if value == min(values.values())]


def lines(verdicts: Iterable[Verdict], column: str) -> list[Line]:
    """Arrange the verdicts of one column as the paper does, the rules side by side."""
    found: dict[tuple[str, str], dict[str, Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        if verdict.column == column:
            found[heading(verdict.row.cell), units(verdict.row.cell)][verdict.row.cell["rule"]] = verdict
    return [Line(*key, by_rule) for key, by_rule in found.items()]


def data_name(cell: Mapping[str, str]) -> str:
    """Return which data a cell is about, as rand→adult."""
    return f"{cell['input']}→{cell['target']}" if "input" in cell else cell["dataset"]


def heading(cell: Mapping[str, str]) -> str:
    """Return which data a cell is about, with its variant."""
    return f"{data_name(cell)} {cell.get('offsets') or cell.get('centering') or ''}".strip()


def units(cell: Mapping[str, str]) -> str:
    """Return the activation of a cell, or hidden and output activation."""
    return cell.get("activation") or f"{cell['hidden_activation']}/{cell['output_activation']}"


def cell_name(cell: Mapping[str, str]) -> str:
    """Return a cell in words, as rand→adult sigmoid hebb; without its rule if it is about several."""
    return f"{heading(cell)} {units(cell)} {cell.get('rule', '')}".strip()


def averaged(measured: Iterable[Measured]) -> tuple[list[str], list[list[str | float]]]:
    """Return headings and lines: what was run, each result averaged over the draws, the best of the first."""
    draws: dict[tuple[tuple[str, str], ...], list[Measured]] = defaultdict(list)
    for row in measured:
        draws[tuple(row.cell.items())].append(row)
    first = next(iter(draws.values()))[0]
    decays = any(row.weight_decay for rows in draws.values() for row in rows)
    found: list[list[str | float]] = []
    for cell, rows in draws.items():
        words = [dict(cell).get(name, "") for name in first.cell]  # files of several runs may differ
        means = [sum(row.results.get(name, nan) for row in rows) / len(rows) for name in first.results]
        best = [rows[0].learning_rate, *([rows[0].weight_decay] if decays else [])]
        found.append([*words, *means, *best])
    of_first = " (first draw)" if any(len(rows) > 1 for rows in draws.values()) else ""
    best_names = [f"{name}{of_first}" for name in ("rate", *(["decay"] if decays else []))]
    return [*first.cell, *first.results, *best_names], found
