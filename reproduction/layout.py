"""Layout of result tables: how rows are arranged and named on the terminal, in files and in the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import isnan, nan
from typing import NamedTuple

from hebbian_descent.rules import rule_title
from hebbian_descent.table_formats import Cell, Marked, TextTable
from reproduction.comparison import Key, Verdict, cell_key
from reproduction.context_numbers import ContextVerdict
from reproduction.experiments.base import Measured

DIGITS = 4
"""Digits printed and shown; results equal in them are equally good."""


class Line(NamedTuple):
    """A line of a table: its data and units, and a verdict for each rule."""

    heading: str
    units: str
    by_rule: Mapping[str, Verdict]

    @property
    def best(self) -> list[str]:
        """The rules with our smallest error; none if there is only one rule."""
        return _smallest({rule: verdict for rule, verdict in self.by_rule.items() if verdict.n}, "mean")

    @property
    def best_in_print(self) -> list[str]:
        """The rules with the smallest printed error; none if there is only one rule."""
        return _smallest(self.by_rule, "printed")


def is_error(column: str) -> bool:
    """Return whether a column is an error, where smaller is better."""
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
    """Return the data of a cell, such as rand→adult."""
    return f"{cell['input']}→{cell['target']}" if "input" in cell else cell["dataset"]


def heading(cell: Mapping[str, str]) -> str:
    """Return the data of a cell with its variant."""
    return f"{data_name(cell)} {cell.get('offsets') or cell.get('centering') or ''}".strip()


def units(cell: Mapping[str, str]) -> str:
    """Return the activation of a cell, or hidden and output activation."""
    return cell.get("activation") or f"{cell['hidden_activation']}/{cell['output_activation']}"


def cell_name(cell: Mapping[str, str]) -> str:
    """Return a cell in words, such as rand→adult sigmoid hebb, or without the rule if it has none."""
    return f"{heading(cell)} {units(cell)} {cell.get('rule', '')}".strip()


def averaged(measured: Iterable[Measured]) -> tuple[list[str], list[list[str | float]]]:
    """Return headings and rows: results averaged over the draws, best rate and decay of the first draw."""
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


def measured_table(title: str, measured: Iterable[Measured]) -> TextTable:
    """Return what was measured, with nothing printed to compare it with."""
    headings, rows = averaged(measured)
    n_words = sum(isinstance(value, str) for value in rows[0])
    return TextTable(headings, rows, title, "l" * n_words + "r" * (len(headings) - n_words))


def comparison_table(title: str, verdicts: list[Verdict], column: str) -> TextTable:
    """Return ours/printed of one column for the terminal, with ≠ where they differ and ? where undecided."""
    return _by_rule(title, verdicts, column, lambda line, rule: _ours_and_printed(line.by_rule.get(rule)))


def _ours_and_printed(verdict: Verdict | None) -> Cell:
    if verdict is None:
        return ""
    if not verdict.n:
        return Marked(f"–/{verdict.printed:.3f}", style="dim")
    sign = {"differs": "≠", "undecided": "?"}.get(verdict.word, "/")
    text = f"{verdict.mean:.3f}{sign}{verdict.printed:.3f}"
    return Marked(text, style={"differs": "red", "undecided": "yellow"}.get(verdict.word, ""))


def print_table(verdicts: list[Verdict], column: str) -> TextTable:
    """Return ours, the printed number in parentheses, and the best of a line in bold, for LaTeX."""
    return _by_rule("", verdicts, column, _ours_in_bold)


def _ours_in_bold(line: Line, rule: str) -> Cell:
    verdict = line.by_rule.get(rule)
    if verdict is None:
        return ""
    ours = f"{verdict.mean:.{DIGITS}f}" if verdict.n else "–"
    return Marked(ours, bold=rule in line.best), f" ({verdict.printed:.{DIGITS}f})"


def _by_rule(
    title: str, verdicts: list[Verdict], column: str, cell: Callable[[Line, str], Cell]
) -> TextTable:
    rules = list(dict.fromkeys(verdict.row.cell["rule"] for verdict in verdicts))
    return TextTable(
        ["Data", "Units", *map(rule_title, rules)],
        [
            [line.heading, line.units, *(cell(line, rule) for rule in rules)]
            for line in lines(verdicts, column)
        ],
        title,
        "ll" + "r" * len(rules),
    )


CELL_FIELDS = (
    *("input", "target", "dataset", "activation", "hidden_activation", "output_activation"),
    *("rule", "centering", "offsets"),
)
"""The columns that distinguish the cells of the paper's tables; each table has some of them."""
NUMBER_FIELDS = (
    *("column", "ours", "sd", "n", "printed", "z", "verdict", "rests_on", "half_width"),
    *("learning_rate", "weight_decay", "seconds"),
)
FIELDS = ("label", *CELL_FIELDS, *NUMBER_FIELDS)
"""The columns of CSV files, the same for every table."""
SUMMARY_DIGITS = 6


def result_table(
    verdicts: Iterable[Verdict],
    context: Iterable[ContextVerdict] = (),
    seconds: Mapping[Key, float] | None = None,
) -> TextTable:
    """Return one row per printed number, with everything known about it, for CSV."""
    rows: list[list[Cell]] = []
    for v in verdicts:
        numbers = (_digits(v.mean), _digits(v.sd), v.n, f"{v.printed:g}", _digits(v.z, 3), v.word)
        more = (v.rests_on, _digits(v.half_width), _plainly(v.learning_rate), _plainly(v.weight_decay))
        rows.append([*_place(v), *numbers, *more, _digits((seconds or {}).get(cell_key(v.row.cell), nan), 1)])
    for c in context:
        digits = "" if isnan(c.ours) else f"{c.ours:.6g}"
        rows.append([*_place(c), digits, "", c.n, f"{c.printed:g}", "", c.word, "", "", "", "", ""])
    return TextTable(FIELDS, rows)


def _place(verdict: Verdict | ContextVerdict) -> list[str]:
    row = verdict.row
    return [row.label, *(row.cell.get(name, "") for name in CELL_FIELDS), verdict.column]


def _plainly(value: float) -> str:
    return "" if isnan(value) else f"{value:g}"


def _digits(value: float, digits: int = SUMMARY_DIGITS) -> str:
    """Return a number as text, or nothing for NaN."""
    return "" if isnan(value) else f"{value:.{digits}f}"
