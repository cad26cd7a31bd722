"""The command `hebbian-descent`."""

from __future__ import annotations

from typing import Annotated

import typer

import hebbian_descent
from hebbian_descent.cli import (
    claims,
    compare,
    data,
    demo,
    explore,
    inspect,
    learn,
    listing,
    predict,
    report,
    run,
    sweep,
    table,
)
from hebbian_descent.cli.console import echo, tolerate_poor_terminals
from hebbian_descent.cli.failures import failures_in_one_sentence
from hebbian_descent.versions import describe_core

app = typer.Typer(
    help="Hebbian-descent: networks that learn each example once and forget gracefully.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # lets lines of a paragraph flow
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo.demo)
app.command()(explore.explore)
app.command()(learn.learn)
app.command()(predict.predict)
app.command()(sweep.sweep)
app.command(name="list")(listing.list_labels)
app.command()(run.run)
app.command()(listing.status)
app.command()(compare.compare)
app.command()(table.table)
app.command()(claims.claims)
app.command()(report.report)
app.command()(report.evidence)
app.command()(inspect.inspect)
app.add_typer(data.app, name="data")


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(f"hebbian-descent {hebbian_descent.__version__}, compiled core: {describe_core()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and the compiled core in use.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a failure is one sentence and exit code 2, never a traceback."""
    tolerate_poor_terminals()
    with failures_in_one_sentence():
        app()
