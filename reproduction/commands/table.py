"""`hebbian-descent table`: one table, as text, CSV or LaTeX."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import print_as_blocks, print_fitting, show_table, stacked, terminal_width
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_where_from
from hebbian_descent.cli.options import OUTPUT, Json, Output, parsed_overrides
from hebbian_descent.table_formats import TextTable
from reproduction.commands.compare import comparison_records
from reproduction.comparison import Verdict
from reproduction.formula_tables import FORMULA_TABLES, FormulaTable
from reproduction.layout import comparison_table, measured_table, print_table, result_table
from reproduction.measurements import Measurements, efforts_in
from reproduction.results import Results
from reproduction.run_context import SEARCHES, Effort, RunContext
from reproduction.summaries import summarise
from reproduction.tables import TABLES

FORMATS = ("text", "csv", "latex")
NARROW = 80
"""Columns of a terminal that has no room for formulas side by side."""


def table(
    label: Annotated[
        str,
        typer.Argument(
            metavar="LABEL", help="A table of the paper, or a custom one.", autocompletion=completion.tables
        ),
    ],
    form: Annotated[
        str,
        typer.Option("--format", help="text, csv or latex.", autocompletion=completion.one_of(*FORMATS)),
    ] = "text",
    column: Annotated[
        str | None,
        typer.Option(
            help="The printed result to show; CSV has all.", autocompletion=completion.printed_columns
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="What was run with --quick.")] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="What was run with these settings, such as trials=50.")
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            help="halving: what was run with that search.",
            autocompletion=completion.one_of(*SEARCHES),
        ),
    ] = None,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Print a table of the paper: ours/printed, ours≠printed where they differ, a dash where nothing was run.

    A ? between the two means that our draws are too few, or scatter too widely, to decide. Without a run of
    your own the table shows the evidence kept in OUTPUT, such as that in a clone of the repository. CSV has
    the columns of reproduction/summary.csv. Custom tables, and results of a protocol other than the paper's,
    are printed without comparison.

    **Examples**

        hebbian-descent table tab:Hetero_online_centered_1 --column mae_all
        hebbian-descent table tab:Hetero_online_centered_1 --format csv
    """
    if form not in FORMATS:
        raise unknown_name("format", form, FORMATS)
    if as_json and form != "text":
        raise ValueError(f"Give --json or --format, not both. Got --format {form} with --json.")
    if label in FORMULA_TABLES:
        if as_json:
            write_json(records(FORMULA_TABLES[label].text_table))
        else:
            show_formulas(FORMULA_TABLES[label], form)
        return
    overrides = parsed_overrides(changes or [])
    effort = Effort(quick=quick, overrides=overrides, search=search)  # type: ignore[arg-type]  # checked
    effort = TABLES[label].limited(effort) if label in TABLES else effort
    measurements = Measurements(output, effort)
    if label in TABLES and effort.is_the_papers:
        results = Results(output)
        if as_json:
            write_json(comparison_records(results, [label])[label])
        else:
            _show_comparison(results, label, form, column)
            say_where_from(results, [label])
    elif column is not None:
        raise ValueError("--column must be left out: only what is printed has columns to choose from.")
    elif measurements.read(label):
        title = f"{label}: {measurements.read(label)[0].title}"
        found = measured_table(title, measurements.rows(label))
        if as_json:
            write_json(records(found))
        else:
            show_table(found, form)
            if not effort.is_the_papers:
                say("Not the paper's protocol: these results decide nothing.")
    else:
        raise _nothing_of(label, output, effort)


def records(table: TextTable) -> list[dict[str, object]]:
    """Return the rows of a table for JSON, each by its headings."""
    return [dict(zip(table.headings, row, strict=True)) for row in table.rows]


def show_formulas(table: FormulaTable, form: str = "text") -> None:
    """Print a table of formulas; on the terminal, each case of a formula has its own line."""
    if form != "text":
        show_table(table.text_table, form)
        return
    shown = table.text_table
    cases = shown._replace(rows=[[str(text).replace("; ", "\n") for text in row] for row in shown.rows])
    if terminal_width() < NARROW:
        print_as_blocks(cases)
    else:
        print_fitting(cases, compact=False, wrap=range(len(shown.headings)))


def _show_comparison(results: Results, label: str, form: str, column: str | None) -> None:
    verdicts = results.verdicts(label)
    columns = [summary.column for summary in summarise(verdicts)]
    if column is not None and column not in columns:
        raise unknown_name("column of this table", column, columns)
    chosen = column or columns[0]
    if form == "csv":
        show_table(result_table(verdicts, results.context(label), results.seconds_of_cells(label)), form)
    elif form == "latex":
        show_table(print_table(verdicts, chosen), form)
    else:
        show_comparison(label, verdicts, chosen)


def show_comparison(label: str, verdicts: list[Verdict], column: str) -> None:
    """Print ours and the printed number of each cell, with a sign between them for the verdict."""
    title = f"{label}, {column}: ours/printed, ours≠printed where they differ, ours?printed where undecided"
    table = comparison_table(title, verdicts, column)
    show_table(table._replace(headings=[stacked(heading) for heading in table.headings]))


def _nothing_of(label: str, output: Path, effort: Effort) -> ValueError:
    """Return the error for a table that was not run like this, with the options it was run with."""
    ways = [other.options for other in efforts_in(output) if Measurements(output, other).read(label)]
    if ways:
        options = " or ".join(shlex.join(way) or "no options" for way in ways)
        return ValueError(
            f"{label} must have been run this way. Got results in {output} with {options}: try those."
        )
    if label in TABLES:
        command = RunContext(output, effort).command("run", label, *effort.options)
        return ValueError(f"{label} must have been run. Got nothing in {output}: try `{command}`.")
    return unknown_name(
        "label of a table", label, [*TABLES, *FORMULA_TABLES, *Measurements(output, effort).labels()]
    )
