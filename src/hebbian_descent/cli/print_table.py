"""`hebbian-descent table`: one table, as text, CSV or LaTeX."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import formula_tables, own_tables
from hebbian_descent.cli.console import echo
from hebbian_descent.cli.overrides import parsed_overrides
from hebbian_descent.cli.run import OUTPUT, Output
from hebbian_descent.cli.tables import as_csv, as_latex, beside, print_whole
from hebbian_descent.paper.comparison import Verdict, compare, summarise
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.formula_tables import FORMULA_TABLES
from hebbian_descent.paper.measurements import Measurements, efforts_in
from hebbian_descent.paper.run_context import Place
from hebbian_descent.paper.tables import TABLES

FORMATS = ("text", "csv", "latex")


def table(
    label: Annotated[str, typer.Argument(help="A table of the paper, or of your own.")],
    form: Annotated[str, typer.Option("--format", help="text, csv or latex.")] = "text",
    column: Annotated[str | None, typer.Option(help="The printed result to show; CSV has all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="What was run with --quick.")] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="What was run with these settings, as trials=50.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="halving: what was run with that search.")] = None,
    output: Output = OUTPUT,
) -> None:
    """Print a table of the paper: ours beside the printed numbers, with a dash where nothing was run.

    Tables of your own, and what was run with another protocol than the paper's, are printed by themselves.
    """
    if form not in FORMATS:
        raise unknown_name("format", form, FORMATS)
    if label in FORMULA_TABLES:
        formula_tables.show(FORMULA_TABLES[label], form)
        return
    overrides = parsed_overrides(changes or [])
    effort = Effort(quick=quick, overrides=overrides, search=search)  # type: ignore[arg-type]  # checked
    effort = TABLES[label].limited(effort) if label in TABLES else effort
    measurements = Measurements(output, effort)
    if label in TABLES and effort.is_the_papers:
        _print_beside(compare(label, measurements.rows(label)), label, form, column)
    elif column is not None:
        raise ValueError("--column must be left out: only what is printed has columns to choose from.")
    elif measurements.read(label):
        _print_own(label, form, measurements)
    else:
        raise _nothing_of(label, output, effort)


def _print_beside(verdicts: list[Verdict], label: str, form: str, column: str | None) -> None:
    columns = [summary.column for summary in summarise(verdicts)]
    if column is not None and column not in columns:
        raise unknown_name("column of this table", column, columns)
    chosen = column or columns[0]
    if form == "csv":
        echo(as_csv(verdicts))
    elif form == "latex":
        echo(as_latex(verdicts, chosen))
    else:
        print_whole(beside(f"{label}, {chosen}: ours/printed", verdicts, chosen))


def _print_own(label: str, form: str, measurements: Measurements) -> None:
    rows = measurements.rows(label)
    if form == "text":
        print_whole(own_tables.as_text(f"{label}: {measurements.read(label)[0].title}", rows))
    else:
        write = own_tables.as_csv if form == "csv" else own_tables.as_latex
        echo(write(rows).rstrip())


def _nothing_of(label: str, output: Path, effort: Effort) -> ValueError:
    """Return the error for a table that was not run so, with the options under which it was."""
    ways = [other.options for other in efforts_in(output) if Measurements(output, other).read(label)]
    if ways:
        options = " or ".join(shlex.join(way) or "no options" for way in ways)
        return ValueError(f"{label} must have been run so. Got results in {output} with {options}: try that.")
    if label in TABLES:
        command = Place(output, effort).command("run", label, *effort.options)
        return ValueError(f"{label} must have been run. Got nothing in {output}: try `{command}`.")
    return unknown_name(
        "label of a table", label, [*TABLES, *FORMULA_TABLES, *Measurements(output, effort).labels()]
    )
