"""Tables of formulas in a terminal, as CSV or as LaTeX."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from hebbian_descent.cli.console import PlainConsole, echo
from hebbian_descent.cli.tables import escaped
from hebbian_descent.paper.csv_text import csv_text
from hebbian_descent.paper.formula_tables import FormulaTable

IN_LATEX = {
    "<": r"$<$",
    "≥": r"$\geq$",
    ">": r"$>$",
    "≠": r"$\neq$",
    "^": r"\^{}",
    "−": r"$-$",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "Σ": r"$\Sigma$",
    "²": r"$^2$",
    "′": r"$'$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "λ": r"$\lambda$",
    "φ": r"$\phi$",
    "â": r"$\hat a$",
}


def show(table: FormulaTable, form: str = "text") -> None:
    """Print a table of formulas."""
    if form == "text":
        PlainConsole().print(_as_text(table))
    else:
        echo((_as_csv(table) if form == "csv" else _as_latex(table)).rstrip())


def _as_text(table: FormulaTable) -> Table:
    shown = Table(
        title=f"{table.label}: {table.title}", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for heading in table.headings:
        shown.add_column(heading)
    for row in table.rows:
        shown.add_row(*(text.replace("; ", "\n") for text in row))
    return shown


def _as_csv(table: FormulaTable) -> str:
    return csv_text([table.headings, *table.rows])


def _as_latex(table: FormulaTable) -> str:
    lines = [" & ".join(map(_latex, row)) + r" \\" for row in (table.headings, *table.rows)]
    start = rf"\begin{{tabular}}{{{'l' * len(table.headings)}}}"
    return "\n".join([start, r"\hline", lines[0], r"\hline", *lines[1:], r"\hline", r"\end{tabular}"])


def _latex(text: str) -> str:
    return "".join(IN_LATEX.get(letter) or escaped(letter) for letter in text)
