"""`table`: one table of the paper, as text, CSV or LaTeX."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
import typer

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli.console import (
    PlainConsole,
    echo,
    print_as_blocks,
    print_fitting,
    show_table,
    stacked,
    terminal_width,
)
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say
from hebbian_descent.cli.options import Json
from hebbian_descent.table_formats import TextTable
from reproduction.catalogue import Entry, find
from reproduction.commands.compare import in_words
from reproduction.commands.options import Output, Quick, say_source
from reproduction.compare import verdicts
from reproduction.context import OUTPUT, Context, Effort
from reproduction.formula_tables import FormulaTable
from reproduction.layout import averaged, counted, side_by_side
from reproduction.running import rows_of

FORMATS = ("text", "csv", "latex")
NARROW = 80
"""Columns of a terminal that has no room for formulas side by side."""


def table(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A number such as 'Table 3', or a label."),
    ],
    form: Annotated[str, typer.Option("--format", help="text, csv or latex.")] = "text",
    measure: Annotated[str | None, typer.Option(help="One of the printed measures; CSV has all.")] = None,
    quick: Quick = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Print a table of the paper: ours/printed, ours≠printed where they differ, ours?printed where undecided.

    The numbers are those of your own run in OUTPUT, or else those under version control.

    **Examples**

        python -m reproduction table "Table 3" --measure mae_all
        python -m reproduction table "Table 3" --format csv
    """
    if form not in FORMATS:
        raise unknown_name("format", form, FORMATS)
    entry, context = find(name, "table", "formulas"), Context(output, Effort(quick=quick))
    if entry.kind == "formulas":
        show_formulas(entry.content, form, as_json=as_json)
    elif as_json:
        write_json(in_words(verdicts(context, [entry.label])).to_dict("records"))
    elif form == "csv" and not quick:
        echo(in_words(verdicts(context, [entry.label])).to_csv(index=False))
    elif quick:
        show_rows(entry, context, form)
    else:
        show_verdicts(entry, verdicts(context, [entry.label]), form, measure)
        say_source(context, [entry.label])


def show_verdicts(entry: Entry, found: pd.DataFrame, form: str = "text", measure: str | None = None) -> None:
    """Print ours and the printed numbers of one measure, or of all; LaTeX has nothing else."""
    measures = list(found["measure"].unique())
    if measure not in (None, *measures):
        raise unknown_name("measure of this table", str(measure), measures)
    for chosen in [measure] if measure else measures:
        lines = found[found["measure"] == chosen]
        title = f"{entry}, {chosen}: ours/printed, ≠ where they differ, ? where that is undecided"
        shown = side_by_side(title, lines)
        if form == "text":
            show_table(shown._replace(headings=[*map(stacked, shown.headings)]))
            PlainConsole().print(f"{counted(lines['word'])}.", soft_wrap=True)
        else:
            echo(f"% {entry}, {chosen}")
            show_table(shown, form)
    if set(found["word"]) <= {"undecided", "not run"}:
        say("Fewer than 5 draws decide nothing: `--draws 10` adds the others, and keeps these.")


def show_rows(entry: Entry, context: Context, form: str = "text") -> None:
    """Print what was measured by another protocol, averaged over draws and trials."""
    rows = rows_of(entry.label, context)
    if not len(rows):
        raise ValueError(f"{entry} must have been run this way: `python -m reproduction run` does it.")
    show_table(averaged(rows)._replace(title=f"{entry}: {entry.title}"), form)


def show_formulas(formulas: FormulaTable, form: str = "text", *, as_json: bool = False) -> None:
    """Print a table of formulas; on the terminal, each case of a formula has its own line."""
    if as_json:
        write_json([dict(zip(formulas.headings, row, strict=True)) for row in formulas.rows()])
        return
    title = f"{formulas.label}: {formulas.title}"
    shown = TextTable(formulas.headings, list(formulas.rows()), title)
    if form != "text":
        show_table(shown, form)
        return
    cases = shown._replace(rows=[[str(text).replace("; ", "\n") for text in row] for row in shown.rows])
    if terminal_width() < NARROW:
        print_as_blocks(cases)
    else:
        print_fitting(cases, compact=False, wrap=range(len(shown.headings)))
