"""Tables with nothing printed to compare with: your own, and those of another protocol than the paper's."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from hebbian_descent.cli.tables import escaped, new_table
from hebbian_descent.paper.csv_text import csv_text
from hebbian_descent.paper.experiments import Measured
from hebbian_descent.paper.layout import averaged


def as_text(title: str, measured: Iterable[Measured]) -> Table:
    """Return a table for the terminal."""
    names, lines = averaged(measured)
    n_words = len(names) - sum(isinstance(value, float) for value in lines[0])
    table = new_table(title)
    for place, name in enumerate(names):
        table.add_column(name, no_wrap=True, justify="left" if place < n_words else "right")
    for line in lines:
        table.add_row(*(Text(_shown(value)) for value in line))
    return table


def as_csv(measured: Iterable[Measured]) -> str:
    """Return one line per row."""
    names, lines = averaged(measured)
    return csv_text([names, *lines])


def as_latex(measured: Iterable[Measured]) -> str:
    """Return a tabular."""
    names, lines = averaged(measured)
    rows = [" & ".join(map(escaped, map(_shown, line))) + r" \\" for line in lines]
    heading = " & ".join(map(escaped, names)) + r" \\"
    head = rf"\begin{{tabular}}{{{'l' * len(names)}}}"
    return "\n".join([head, r"\hline", heading, r"\hline", *rows, r"\hline", r"\end{tabular}"])


def _shown(value: str | float) -> str:
    return f"{value:.4g}" if isinstance(value, float) else value
