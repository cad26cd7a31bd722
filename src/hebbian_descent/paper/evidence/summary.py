"""One line for each printed result, to be kept under version control."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from hebbian_descent.atomic import write_atomically
from hebbian_descent.paper.comparison import Verdict, cell_key
from hebbian_descent.paper.csv_text import csv_text
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.layout import cell_name
from hebbian_descent.paper.measurements import Measurements
from hebbian_descent.paper.report.results import paper_tables

COLUMNS = ("table", "cell", "column", "ours", "sd", "printed", "verdict", "z", "n", "best_rate", "seconds")


def write_summary(folder: Path, path: Path) -> None:
    """Write one line for each printed result; its seconds are those of its jobs with all they computed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows: list[Sequence[str]] = [COLUMNS]
    for table in paper_tables(folder, Effort()):
        seconds = _seconds_of_cells(folder, table.label)
        rows += (_line(verdict, seconds[cell_key(verdict.row.cell)]) for verdict in table.verdicts)
    write_atomically(path, csv_text(rows).encode())


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
