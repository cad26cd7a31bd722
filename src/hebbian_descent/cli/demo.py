"""`hebbian-descent demo`: one trial, four rules, a table and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hebbian_descent import drawing
from hebbian_descent.paper.golden_trial import BestRun, GoldenTrial
from hebbian_descent.paper.grids import LEARNING_RATES

RULES = tuple(drawing.RULE_STYLES)


def demo(
    output: Annotated[Path, typer.Option(help="Folder for the figure; made if it is missing.")] = Path(
        "demo"
    ),
) -> None:
    """Learn 100 random pairs of patterns once each and see which rule remembers them.

    Every rule starts from the same weights and takes the best of the paper's 35 learning rates. The table
    shows the error over the 20 patterns seen last and over all; the figure shows it pattern by pattern.
    """
    console = Console()
    trial = GoldenTrial.create()
    steps = track(RULES, description="Learning with each rule", console=console, transient=True)
    runs = [trial.best(rule, LEARNING_RATES) for rule in steps]

    console.print(_table(runs, trial.baseline))
    console.print(
        "Each pattern was seen once. Hebbian-descent recalls the recent ones best and lets old ones fade; "
        "the other rules treat old and new alike."
    )
    figure = drawing.forgetting_curve(
        {run.rule: run.errors for run in runs},
        baseline=trial.baseline,
        title="One pass over 100 random pairs, sigmoid units",
    )
    for path in drawing.save_figure(figure, output, "forgetting_curve"):
        console.print(f"Wrote {path}")


def _table(runs: list[BestRun], baseline: float) -> Table:
    table = Table(title="Mean absolute error after one online pass (rand → rand, sigmoid, centered)")
    table.add_column("Rule")
    for heading in ("Learning rate", "Last 20 patterns", "All patterns", "Baseline"):
        table.add_column(heading, justify="right")
    best = min(runs, key=lambda run: run.last20)
    for run in runs:
        table.add_row(
            str(drawing.RULE_STYLES[run.rule]["label"]),
            f"{run.learning_rate:g}",
            f"{run.last20:.4f}",
            f"{run.all:.4f}",
            f"{baseline:.4f}",
            style="bold" if run is best else "",
        )
    return table
