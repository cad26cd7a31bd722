"""Verdicts as tables of text: rules side by side, ours and the printed number in each cell."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pandas as pd

from hebbian_descent.rules import rule_title
from hebbian_descent.table_formats import Cell, Marked, TextTable
from reproduction.printed import notes, printed_rows

SIGNS = {"differs": "≠", "undecided": "?"}
STYLES = {"differs": "red", "undecided": "yellow"}


def side_by_side(title: str, verdicts: pd.DataFrame, *, digits: int = 3) -> TextTable:
    """Return ours/printed of one measure, with ≠ where they differ and ? where that is undecided."""
    printed = [printed_rows()[row] for row in verdicts["row"]]
    cells = {
        (row.data, row.units, row.cell["rule"]): _ours_and_printed(verdict, digits)
        for row, verdict in zip(printed, verdicts.itertuples(), strict=True)
    }
    rules = list(dict.fromkeys(row.cell["rule"] for row in printed))
    lines = list(dict.fromkeys((row.data, row.units) for row in printed))
    return TextTable(
        ["Data", "Units", *map(rule_title, rules)],
        [[*line, *(cells.get((*line, rule), "") for rule in rules)] for line in lines],
        title,
        "ll" + "r" * len(rules),
    )


def _ours_and_printed(verdict: object, digits: int) -> Cell:
    ours, printed, word = verdict.ours, verdict.printed, verdict.word  # type: ignore[attr-defined]
    if word == "not run":
        return Marked(f"–/{printed:.{digits}f}", style="dim")
    text = f"{ours:.{digits}f}{SIGNS.get(word, '/')}{printed:.{digits}f}"
    return Marked(text, style=STYLES.get(word, ""))


def reason(label: str, name: str, measure: str) -> str:
    """Return why a result differs, or nothing if the reason is not known.

    A reason names its table, cell and measure as they are listed, or with * for any text.
    """
    place = {"table": label, "cell": name, "column": measure}
    return next(
        (
            line["reason"]
            for line in notes("reasons")
            if all(fnmatchcase(text, line[part]) for part, text in place.items())
        ),
        "",
    )
