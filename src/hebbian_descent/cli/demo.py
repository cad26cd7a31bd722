"""`hebbian-descent demo`: a table, figures and recalled digits, in two minutes and without a download."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hebbian_descent import plotting
from hebbian_descent.checks import Array, require_extra
from hebbian_descent.cli.console import PlainConsole, print_fitting, stacked
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_written, waiting_for
from hebbian_descent.cli.options import Json
from hebbian_descent.datasets import draw_pair
from hebbian_descent.explorer import explore
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from hebbian_descent.rules import rule_title
from hebbian_descent.sweep import initial_weights
from hebbian_descent.table_formats import Cell, Marked, TextTable
from reproduction.commands.run import draw_figure, run_table
from reproduction.experiments import Association, Measured
from reproduction.figures import FIGURES, PaperFigure
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.report import write_report
from reproduction.run_context import Effort, RunContext

if TYPE_CHECKING:
    from matplotlib.figure import Figure


EXPLORER = "explorer.html"


def demo(
    output: Annotated[Path, typer.Option(help="Folder for the page, the figures and the store.")] = Path(
        "demo"
    ),
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    as_json: Json = False,
) -> None:
    """Learn 100 pairs of patterns once each with four rules, and see which rule remembers them.

    Draws the digits that each rule recalls, the forgetting curves with and without centering, how much the
    learning rate matters, two small examples, and a table over several datasets; all of it on one page,
    OUTPUT/report.html, which links to the explorer, OUTPUT/explorer.html. It is a quick look:
    `hebbian-descent run` does the paper's whole protocol.

    **Example**

        hebbian-descent demo --open
    """
    context = RunContext(output, Effort(draws=1, quick=True))
    with resumable(output):
        for label in EXHIBITS:
            draw_figure(FIGURES.get(label, RECALL), context)
        measured = run_table(TABLE, context, list(TABLE.jobs(context.effort))).measured
        with waiting_for("Writing the page"):
            explore().save(output / EXPLORER)
            path = write_report(output, context.effort, exhibits=EXHIBITS, explorer=EXPLORER)
    if as_json:
        write_json({"rows": measured, "wrote": [path, output / EXPLORER]})
    else:
        print_fitting(_errors(measured), compact=False)
        PlainConsole().print(
            "Each pair was seen once. Hebbian-descent recalls the recent ones best and lets old ones fade; "
            "Hebb's and the covariance rule treat old and new alike. From digits to digits nothing helps "
            "much: similar inputs overwrite each other."
        )
    say_written(path, output / EXPLORER)
    say("All figures are on this page: open it in a browser.")
    if show:
        webbrowser.open(path.resolve().as_uri())


def _errors(measured: Sequence[Measured]) -> TextTable:
    """Return the errors of the last 20 patterns, the rules side by side, the best with a star."""
    rules = list(plotting.RULE_STYLES)
    by_rule: dict[tuple[str, str], dict[str, float]] = {}
    for row in measured:
        pair = f"{row.cell['input']}→{row.cell['target']}"
        by_rule.setdefault((pair, row.cell["activation"]), {})[row.cell["rule"]] = row.results["mae_last20"]
    rows: list[list[Cell]] = [
        [*heading, *(_starred(errors[rule], errors[rule] == min(errors.values())) for rule in rules)]
        for heading, errors in by_rule.items()
    ]
    return TextTable(
        ["Pairs", "Units", *(stacked(rule_title(rule)) for rule in rules)],
        rows,
        "Mean absolute error of the 20 patterns seen last, after one pass, centered; * the best",
        "ll" + "r" * len(rules),
    )


def _starred(error: float, is_best: bool) -> Marked:
    return Marked(f"{error:.3f}{'*' * is_best}", is_best)


PAIRS = (
    ("rand", "rand"),
    ("rand", "digits"),
    ("randn", "digits"),
    ("connect_positions", "digits"),
    ("digits", "rand"),
    ("digits", "digits"),  # the hard case: similar inputs overwrite each other
)

TABLE = Association(
    label="own:demonstration",
    title="Which rule remembers best? 100 pairs, each seen once",
    pairs=dict.fromkeys(PAIRS, ("linear", "sigmoid")),
)

EXHIBITS = {
    "own:recalled_digits": (
        "Digits were learned from random patterns. The upper row shows what was stored, the others what each "
        "rule recalls; the number counts the pairs, so 100 is the pair seen last."
    ),
    "fig:rand_rand_sigmoid_true_online": (
        "The error of every pair after one pass, the oldest on the left, with centered inputs. "
        "Hebbian-descent knows the recent pairs best and lets old ones fade."
    ),
    "fig:rand_rand_sigmoid_false_online": (
        "The same without centering: only the covariance rule, which centers by itself, still remembers well."
    ),
    "fig:learning_rate_compare_lin_sig": (
        "How much the learning rate matters. With sigmoid units Hebbian-descent does well over a wide range."
    ),
    "fig:update_rule_2D_example": (
        "Two weights, three patterns: the paths of both rules through the landscape of the squared error."
    ),
    "fig:hebb_diabvantage_example": (
        "Four correlated patterns. Hebb's rule gets the doubled one right and the others wrong."
    ),
}
"""Figures that need only generated patterns, each with a caption."""

SHOWN = (1, 20, 40, 60, 80, 90, 95, 98, 99, 100)
"""The patterns whose recall is drawn, counted from the first learned."""


def draw_recall(context: RunContext) -> Figure:
    """Draw digits recalled from random patterns by each rule after one pass, the oldest on the left."""
    inputs, targets = draw_pair("rand", "digits", seed=0)
    rules = tuple(plotting.RULE_STYLES)
    rates = QUICK_RATES if context.effort.quick else LEARNING_RATES
    options = {"activations": "sigmoid", "learning_rates": rates, "trials": 1}
    best = {
        found.rule: found for found in context.sweep(inputs, targets, rules=rules, **options).best("last20")
    }
    recalled = {"Stored": targets}
    for rule in rules:
        network = Layer.from_weights(
            initial_weights(0, 0, inputs.shape[1], targets.shape[1]),
            activation="sigmoid",
            offset=inputs.mean(axis=0),
        )
        train(network, inputs, targets, rule=rule, learning_rate=best[rule].learning_rate)
        recalled[f"{plotting.RULE_STYLES[rule]['label']}\nerror {best[rule].value:.3f}"] = network.output(
            inputs
        )
    return _pictures(recalled)


def _pictures(rows: Mapping[str, Array]) -> Figure:
    figure_module = require_extra("matplotlib.figure", extra="paper", purpose="Drawing a figure")
    figure: Figure = figure_module.Figure(figsize=(9, 5.2), layout="constrained")
    grid = figure.subplots(len(rows), len(SHOWN))
    for line, (label, patterns) in zip(grid, rows.items(), strict=True):
        for axes, number in zip(line, SHOWN, strict=True):
            axes.imshow(patterns[number - 1].reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            axes.set_xticks([])
            axes.set_yticks([])
        line[0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize=9)
    for axes, number in zip(grid[0], SHOWN, strict=True):
        axes.set_title(f"{number}", fontsize=9)
    figure.suptitle("100 digits learned once each, and recalled; numbers count the patterns", fontsize=11)
    return figure


RECALL = PaperFigure("own:recalled_digits", "Digits recalled from random patterns, rule by rule", draw_recall)
