"""Tables of the paper in a terminal, as CSV or as LaTeX: ours beside the printed numbers."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.paper.comparison import Verdict
from hebbian_descent.paper.csv_text import csv_text
from hebbian_descent.paper.layout import lines

SHORT_NAMES = {
    "hebbian_descent": "Hebbian-d.",
    "gradient_descent": "Gradient-d.",
    "hebb": "Hebb",
    "covariance": "Covariance",
}

UNLIMITED = 10_000


def print_whole(table: Table) -> None:
    """Print a table with all of its numbers, even where the terminal is too narrow for its lines."""
    console = PlainConsole()
    unlimited = console.options.update(width=UNLIMITED)
    console.width = max(console.width, Measurement.get(console, unlimited, table).maximum)
    console.print(table)


def new_table(title: str = "") -> Table:
    """Return a table without the room that others have beside their columns."""
    return Table(title=Text(title), box=SIMPLE_HEAD, show_edge=False, padding=0, title_justify="left")


def beside(title: str, verdicts: list[Verdict], column: str) -> Table:
    """Return a table with ours and the printed number in each place, red where they differ."""
    rules = list(dict.fromkeys(verdict.row.cell["rule"] for verdict in verdicts))
    table = new_table(title)
    for name in ("Data", "Units"):
        table.add_column(name, no_wrap=True)
    for rule in rules:
        table.add_column(SHORT_NAMES.get(rule, rule), justify="right", no_wrap=True)
    for line in lines(verdicts, column):
        table.add_row(line.heading, line.units, *(_place(line.by_rule.get(rule)) for rule in rules))
    return table


def _place(verdict: Verdict | None) -> Text:
    if verdict is None:
        return Text()
    if not verdict.n:
        return Text(f"–/{verdict.printed:.3f}", "dim")
    text = f"{verdict.mean:.3f}/{verdict.printed:.3f}"
    return Text(text, "red" if verdict.word == "differs" else "")


COLUMNS = (
    "column",
    "ours",
    "sd",
    "n",
    "printed",
    "z",
    "verdict",
    "learning_rate",
    "weight_decay",
)


def as_csv(verdicts: Iterable[Verdict]) -> str:
    """Return one line a printed number."""
    verdicts = list(verdicts)
    names = list(verdicts[0].row.cell)
    rows: list[list[object]] = [["table", *names, *COLUMNS]]
    for v in verdicts:
        numbers = (_given(v.mean, 6), _given(v.sd, 6), v.n, v.printed, _given(v.z, 3), v.word)
        best = (v.learning_rate, v.weight_decay) if v.n else ("", "")
        rows.append([v.row.label, *v.row.cell.values(), v.column, *numbers, *best])
    return csv_text(rows)


def _given(value: float, digits: int) -> str:
    """Return a number, or nothing where there is none."""
    return "" if isnan(value) else f"{value:.{digits}f}"


def as_latex(verdicts: list[Verdict], column: str) -> str:
    """Return a tabular with ours and, in parentheses, the printed number; the best of a line in bold."""
    rules = list(dict.fromkeys(verdict.row.cell["rule"] for verdict in verdicts))
    head = " & ".join(["Data", "Units", *(escaped(SHORT_NAMES.get(rule, rule)) for rule in rules)])
    body = []
    for line in lines(verdicts, column):
        places = (_latex_place(line.by_rule.get(rule), rule in line.best) for rule in rules)
        body.append(" & ".join([escaped(line.heading), escaped(line.units), *places]) + r" \\")
    columns = "ll" + "r" * len(rules)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\hline",
            head + r" \\",
            r"\hline",
            *body,
            r"\hline",
            r"\end{tabular}",
        ]
    )


def _latex_place(verdict: Verdict | None, is_best: bool) -> str:
    if verdict is None:
        return ""
    ours = "--" if not verdict.n else f"{verdict.mean:.4f}"
    ours = rf"\textbf{{{ours}}}" if is_best else ours
    return f"{ours} ({verdict.printed:.4f})"


LATEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "→": r"$\to$",
    "\n": " ",
    "\r": " ",
}


def escaped(text: str) -> str:
    """Return text fit for LaTeX."""
    return "".join(LATEX.get(letter, letter) for letter in text)
