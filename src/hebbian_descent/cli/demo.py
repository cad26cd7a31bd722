"""`hebbian-descent demo`: a table, figures and recalled digits, in seconds and without a download."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.checks import require_extra
from hebbian_descent.cli.console import PlainConsole, print_fitting, stacked
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_written, waiting_for
from hebbian_descent.cli.options import Json
from hebbian_descent.cli.progress import work_progress
from hebbian_descent.demonstration.page import write_page
from hebbian_descent.demonstration.results import (
    CENTERED,
    RULES,
    UNCENTERED,
    Line,
    Results,
    learn,
    lines,
    rows,
)
from hebbian_descent.explorer import explore
from hebbian_descent.rules import rule_title
from hebbian_descent.table_formats import Cell, Marked, TextTable

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
    learning rate matters, and a table over several datasets; all of it on one page, OUTPUT/report.html, which
    links to the explorer, OUTPUT/explorer.html.

    **Example**

        hebbian-descent demo --open
    """
    for library in ("pyarrow", "matplotlib", "jinja2"):  # now, not after the work
        require_extra(library, extra="paper", purpose="The demonstration, with its store, figures and page,")
    with resumable(output):
        results = _learned(output / "store")
        with waiting_for("Drawing the page"):
            wrote = [write_page(results, output, EXPLORER), output / EXPLORER]
            explore().save(output / EXPLORER)
    measured = rows(results)
    if as_json:
        write_json({"rows": measured, "wrote": wrote})
    else:
        print_fitting(_table(lines(measured)), compact=False)
        PlainConsole().print(
            "Each pair was seen once. Hebbian-descent recalls the recent ones best and lets old ones fade; "
            "Hebb's and the covariance rule treat old and new alike. From digits to digits nothing helps "
            "much: similar inputs overwrite each other."
        )
    say_written(*wrote)
    say("All figures are on this page: open it in a browser.")
    if show:
        webbrowser.open(wrote[0].resolve().as_uri())


def _learned(store: Path) -> Results:
    settings = (*CENTERED, UNCENTERED)
    results = {}
    with work_progress("Learning", len(settings)) as bar:
        for setting in settings:
            results[setting] = learn(setting, store, bar.show_sweep)
            bar.advance()
    return results


def _table(errors: list[Line]) -> TextTable:
    """Return the errors of the last 20 patterns, the rules side by side, the best with a star."""
    cells: list[list[Cell]] = [
        [line.pair, line.activation, *(_starred(line.errors[rule], rule in line.best) for rule in RULES)]
        for line in errors
    ]
    return TextTable(
        ["Pairs", "Units", *(stacked(rule_title(rule)) for rule in RULES)],
        cells,
        "Mean absolute error of the 20 patterns seen last, after one pass, centered; * the best",
        "ll" + "r" * len(RULES),
    )


def _starred(error: float, is_best: bool) -> Marked:
    return Marked(f"{error:.3f}{'*' * is_best}", is_best)
