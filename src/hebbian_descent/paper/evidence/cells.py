"""Every cell of every table for the document, ours beside the printed number."""

from __future__ import annotations

from collections.abc import Iterator

from hebbian_descent.paper.comparison import Verdict
from hebbian_descent.paper.layout import Line
from hebbian_descent.paper.notes import markdown
from hebbian_descent.paper.report.results import Column, PaperTable
from hebbian_descent.paper.report.words import MARKS, baseline, number, rule_name

ABOUT_CELLS = (
    "In each cell: ours, the printed number in brackets, and whether they agree ({agrees}), differ "
    "({differs}) or are undecided after one draw ({undecided}). Bold is the best of a line, ours and theirs."
).format(**MARKS)


def all_cells(tables: list[PaperTable]) -> Iterator[str]:
    """Yield a heading for each table, and each of its columns folded up."""
    for table in tables:
        yield f"### {table.title} `{table.label}`"
        yield from map(_folded, table.columns)


def _folded(column: Column) -> str:
    headings = ["data", "units", *map(rule_name, column.rules), *(["baseline"] if column.is_error else [])]
    table = markdown(headings, (list(_cells(line, column)) for line in column.lines))
    # The blank lines make the table one of Markdown again inside of HTML.
    return f"<details>\n<summary>{column.title}: {column.summary}</summary>\n\n{table}\n\n</details>"


def _cells(line: Line, column: Column) -> Iterator[str]:
    yield line.heading
    yield line.units
    for rule in column.rules:
        verdict = line.by_rule.get(rule)
        yield _cell(verdict, rule in line.best, rule in line.best_in_print) if verdict else ""
    if column.is_error:
        yield number(baseline(line))


def _cell(verdict: Verdict, is_best: bool, is_best_in_print: bool) -> str:
    ours, printed = _number(verdict.mean, is_best), _number(verdict.printed, is_best_in_print)
    return f"{ours} ({printed}) {MARKS[verdict.word]}" if verdict.n else f"– ({printed})"


def _number(value: float, is_bold: bool) -> str:
    return f"**{number(value)}**" if is_bold else number(value)
