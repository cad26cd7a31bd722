"""Every cell of every table: ours, the printed number and the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from hebbian_descent.rules import rule_title
from hebbian_descent.table_formats import Cell, Marked, TextTable, markdown_text
from reproduction.comparison import Verdict
from reproduction.layout import Line
from reproduction.report.content import Column, PaperTable
from reproduction.report.filters import MARKS, baseline, number

ABOUT_CELLS = (
    "In each cell: ours, the printed number in brackets, and whether they agree ({agrees}), differ "
    "({differs}) or are undecided ({undecided}). Bold is the best of a line, ours and theirs."
).format(**MARKS)


def all_cells(tables: list[PaperTable]) -> Iterator[str]:
    """Yield a heading for each table, and each of its columns as a collapsed section."""
    for table in tables:
        yield f"### {table.title} `{table.label}`"
        yield from map(_column, table.columns)


def _column(column: Column) -> str:
    headings = ["data", "units", *map(rule_title, column.rules), *(["baseline"] if column.is_error else [])]
    table = markdown_text(TextTable(headings, [list(_cells(line, column)) for line in column.lines]))
    return folded(f"{column.title}: {column.summary}", table)


def _cells(line: Line, column: Column) -> Iterator[Cell]:
    yield line.heading
    yield line.units
    for rule in column.rules:
        verdict = line.by_rule.get(rule)
        yield _cell(verdict, rule in line.best, rule in line.best_in_print) if verdict else ""
    if column.is_error:
        yield number(baseline(line))


def _cell(verdict: Verdict, is_best: bool, is_best_in_print: bool) -> Cell:
    ours, printed = Marked(number(verdict.mean), is_best), Marked(number(verdict.printed), is_best_in_print)
    if not verdict.n:
        return "– (", printed, ")"
    return ours, " (", printed, f") {MARKS[verdict.word]}"


def folded(summary: str, text: str) -> str:
    """Return text that opens with a click on its summary."""
    # The blank lines make the text Markdown again inside HTML.
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"
