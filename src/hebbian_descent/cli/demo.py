"""`hebbian-descent demo`: what Hebbian-descent is good for, in two minutes and without a download."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent import plotting
from hebbian_descent.cli.console import PlainConsole, stacked
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.run import draw_figure, run_table
from hebbian_descent.paper.demonstration import EXHIBITS, RECALL, TABLE
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments import Measured
from hebbian_descent.paper.figures import FIGURES
from hebbian_descent.paper.report import write_report
from hebbian_descent.paper.run_context import RunContext
from hebbian_descent.rules import rule_title
from hebbian_descent.table_formats import Cell, Marked, TextTable, terminal_table


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
    context = RunContext(output, Effort(draws=1, quick=True))
    with resumable(console, output):
        for label in EXHIBITS:
            draw_figure(console, FIGURES.get(label, RECALL), context)
        measured, _ = run_table(console, TABLE, context, list(TABLE.jobs(context.effort)))
        with console.status("Writing the page"):
            path = write_report(output, context.effort, exhibits=EXHIBITS)
    console.print(terminal_table(_errors(measured)))
    console.print(
        "Each pair was seen once. Hebbian-descent recalls the recent ones best and lets old ones fade; "
        "Hebb's and the covariance rule treat old and new alike. From digits to digits nothing helps much: "
        "similar inputs overwrite each other."
    )
    console.print(f"Wrote {path} with all figures: open it in a browser.")
    if show:
        webbrowser.open(path.resolve().as_uri())


def _errors(measured: list[Measured]) -> TextTable:
    """Return the errors of the last 20 patterns, the rules side by side, the best in bold."""
    rules = list(plotting.RULE_STYLES)
    by_rule: dict[tuple[str, str], dict[str, float]] = {}
    for row in measured:
        pair = f"{row.cell['input']}→{row.cell['target']}"
        by_rule.setdefault((pair, row.cell["activation"]), {})[row.cell["rule"]] = row.results["mae_last20"]
    rows: list[list[Cell]] = [
        [*heading, *(Marked(f"{errors[rule]:.3f}", errors[rule] == min(errors.values())) for rule in rules)]
        for heading, errors in by_rule.items()
    ]
    return TextTable(
        ["Pairs", "Units", *(stacked(rule_title(rule)) for rule in rules)],
        rows,
        "Mean absolute error of the 20 patterns seen last, after one pass, centered",
        "ll" + "r" * len(rules),
    )
