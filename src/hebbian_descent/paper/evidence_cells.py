"""Every printed result with ours, as lines of a CSV file and as tables of the document."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hebbian_descent.paper.comparison import Verdict, cell_key
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.layout import Line, cell_name
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.report.filters import MARKS, baseline, number
from hebbian_descent.paper.report.tables import Column, PaperTable, paper_tables
from hebbian_descent.rules import rule_title
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import Cell, Marked, TextTable, csv_text, markdown_text

COLUMNS = ("table", "cell", "column", "ours", "sd", "printed", "verdict", "z", "n", "best_rate", "seconds")


def write_summary(folder: Path, path: Path) -> None:
    """Write one line per printed result; its seconds are those of the jobs that computed it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows: list[list[str]] = []
    for table in paper_tables(folder, Effort()):
        seconds = _seconds_of_cells(folder, table.label)
        rows += (_line(verdict, seconds[cell_key(verdict.row.cell)]) for verdict in table.verdicts)
    write_atomically(path, csv_text(TextTable(COLUMNS, rows)).encode())


def _line(v: Verdict, seconds: float) -> list[str]:
    run = v.n > 0
    return [
        v.row.label,
        cell_name(v.row.cell),
        v.column,
        f"{v.mean:.6f}" if run else "",
        "" if math.isnan(v.sd) else f"{v.sd:.6f}",
        f"{v.printed:g}",
        v.word,
        "" if math.isnan(v.z) else f"{v.z:.3f}",
        str(v.n),
        f"{v.learning_rate:g}" if run else "",
        f"{seconds:.1f}" if run else "",
    ]


def _seconds_of_cells(folder: Path, label: str) -> dict[tuple[tuple[str, str], ...], float]:
    seconds: dict[tuple[tuple[str, str], ...], float] = defaultdict(float)
    for measurement in Measurements(folder, Effort()).read(label):
        for cell in {cell_key(row.cell) for row in measurement.rows}:
            seconds[cell] += measurement.seconds
    return seconds


ABOUT_CELLS = (
    "In each cell: ours, the printed number in brackets, and whether they agree ({agrees}), differ "
    "({differs}) or are undecided after one draw ({undecided}). Bold is the best of a line, ours and theirs."
).format(**MARKS)


def all_cells(tables: list[PaperTable]) -> Iterator[str]:
    """Yield a heading for each table, and each of its columns as a collapsed section."""
    for table in tables:
        yield f"### {table.title} `{table.label}`"
        yield from map(_folded, table.columns)


def _folded(column: Column) -> str:
    headings = ["data", "units", *map(rule_title, column.rules), *(["baseline"] if column.is_error else [])]
    table = markdown_text(TextTable(headings, [list(_cells(line, column)) for line in column.lines]))
    # The blank lines make the table one of Markdown again inside of HTML.
    return f"<details>\n<summary>{column.title}: {column.summary}</summary>\n\n{table}\n\n</details>"


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
