"""`hebbian-descent demo`: what Hebbian-descent is good for, in two minutes and without any download."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hebbian_descent import plotting
from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.interruption import resumable
from hebbian_descent.cli.run import draw_figure, run_table
from hebbian_descent.cli.tables import SHORT_NAMES
from hebbian_descent.paper.demonstration import EXHIBITS, RECALL, TABLE
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments import Measured
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.report import write_report
from hebbian_descent.paper.run_context import Place


def demo(
    output: Annotated[Path, typer.Option(help="Folder for the page, the figures and the store.")] = Path(
        "demo"
    ),
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Learn 100 pairs of patterns once each with four rules, and see which rule remembers them.

    Draws the digits that each rule recalls, the forgetting curves with and without centering, how much the
    learning rate matters, two small examples, and a table over several datasets; all of it on one page,
    OUTPUT/report.html. It is a quick look: `hebbian-descent run` does the paper's whole protocol.
    """
    console = PlainConsole()
    place = Place(output, Effort(draws=1, quick=True))
    with resumable(console, output):
        for label in EXHIBITS:
            draw_figure(console, FIGURES.get(label, RECALL), place)
        measured, _ = run_table(console, TABLE, place, list(TABLE.jobs(place.effort)))
        with console.status("Writing the page"):
            path = write_report(output, place.effort, exhibits=EXHIBITS)
    console.print(_table(measured))
    console.print(
        "Each pair was seen once. Hebbian-descent recalls the recent ones best and lets old ones fade; "
        "Hebb's and the covariance rule treat old and new alike. From digits to digits nothing helps much: "
        "similar inputs overwrite each other."
    )
    console.print(f"Wrote {path} with all figures: open it in a browser.")
    if show:
        webbrowser.open(path.resolve().as_uri())


def _table(measured: list[Measured]) -> Table:
    """Return the errors of the last 20 patterns, the rules side by side, the best in bold."""
    title = "Mean absolute error of the 20 patterns seen last, after one pass, centered"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("Pairs", "Units"):
        table.add_column(name, no_wrap=True)
    for rule in plotting.RULE_STYLES:
        table.add_column(SHORT_NAMES[rule], justify="right", no_wrap=True)
    lines: dict[tuple[str, str], dict[str, float]] = {}
    for row in measured:
        pair = f"{row.cell['input']}→{row.cell['target']}"
        lines.setdefault((pair, row.cell["activation"]), {})[row.cell["rule"]] = row.results["mae_last20"]
    for heading, errors in lines.items():
        best = min(errors.values())
        numbers = (errors[rule] for rule in plotting.RULE_STYLES)
        table.add_row(*heading, *(Text(f"{e:.3f}", "bold" if e == best else "") for e in numbers))
    return table
