"""The command `hebbian-descent`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

import hebbian_descent
from hebbian_descent.checks import MissingExtraError
from hebbian_descent.cli import (
    claims,
    compare,
    data,
    demo,
    evidence,
    inspect,
    listing,
    print_table,
    report,
    run,
    sweep,
)
from hebbian_descent.results import StoreError
from hebbian_descent.sweep.executors import WorkerLostError

app = typer.Typer(
    help="Hebbian-descent: networks that learn each example once and forget gracefully.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # lets lines of a paragraph flow
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo.demo)
app.command()(sweep.sweep)
app.command(name="list")(listing.list_labels)
app.command()(run.run)
app.command()(listing.status)
app.command()(compare.compare)
app.command()(print_table.table)
app.command()(claims.claims)
app.command()(report.report)
app.command()(evidence.evidence)
app.command()(inspect.inspect)
app.add_typer(data.app, name="data")


def _show_version(wanted: bool) -> None:
    if wanted:
        Console().print(f"hebbian-descent {hebbian_descent.__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


EXPECTED = (MissingExtraError, StoreError, WorkerLostError, OSError, TypeError, ValueError)
"""What a user can mend; anything else is a fault of this package and shows its traceback."""


def main() -> None:
    """Run the command line; an expected failure is one sentence and exit code 2, never a traceback."""
    try:
        app()
    except EXPECTED as error:
        Console(stderr=True).print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        raise SystemExit(2) from None
