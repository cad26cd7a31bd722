"""`list` and `status`: what there is, and what of it was run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hebbian_descent.cli.console import print_fitting
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say
from hebbian_descent.cli.options import Json
from hebbian_descent.table_formats import Cell, Marked, TextTable
from reproduction.catalogue import Entry, catalogue
from reproduction.commands.options import Output
from reproduction.context import OUTPUT, Context, Effort
from reproduction.running import part_of, parts_of, read_part


def list_entries(
    tables: Annotated[bool, typer.Option("--tables", help="Tables alone.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Figures alone.")] = False,
    studies: Annotated[bool, typer.Option("--studies", help="Studies alone.")] = False,
    as_json: Json = False,
) -> None:
    """List tables, figures, studies and what claims measure, with the minutes of the committed run.

    **Example**

        python -m reproduction list --figures
    """
    asked = {"table": tables, "formulas": tables, "figure": figures, "study": studies, "claim": False}
    chosen = [entry for entry in catalogue().values() if asked[entry.kind] or not any(asked.values())]
    if as_json:
        write_json([_record(entry) for entry in chosen])
        return
    rows: list[list[Cell]] = [
        [entry.number, (f"{entry.label}\n", Marked(entry.title, style="dim")), _minutes(entry)]
        for entry in chosen
    ]
    print_fitting(
        TextTable(["Paper", "Label, and what it shows", "Minutes"], rows, alignment="llr"), wrap=[1]
    )
    say("`python -m reproduction run NAME` computes one of them, by its number or its label.")


def _minutes(entry: Entry) -> str:
    minutes = entry.minutes
    return "" if minutes is None else f"{minutes:.0f}" if minutes >= 1 else "<1"


def _record(entry: Entry) -> dict[str, Any]:
    names = ("label", "kind", "number", "title", "minutes")
    return {name: getattr(entry, name) for name in names}


def status(output: Output = OUTPUT, as_json: Json = False) -> None:
    """Show your own runs, by the paper's protocol and quick ones: finished jobs of the first draw, of all."""
    found: list[dict[str, Any]] = []
    for entry in catalogue().values():
        if hasattr(entry.content, "jobs"):
            done = {effort.name: _done(entry, Context(output, effort)) for effort in EFFORTS}
            found.append({"label": entry.label, **done})
    started = [line for line in found if any(line[effort.name][0] for effort in EFFORTS)]
    if as_json:
        write_json(started)
        return
    if not started:
        say(f"Nothing was run in {output}: all numbers are those under version control.")
        return
    rows: list[list[Cell]] = [
        [line["label"], *(f"{n}/{total}, {parts}" for n, total, parts in list(line.values())[1:])]
        for line in started
    ]
    headings = ["Label", *(effort.name for effort in EFFORTS)]
    print_fitting(
        TextTable(headings, rows, "Finished jobs: of the first draw, of all draws", "lrr"), wrap=[0]
    )


EFFORTS = (Effort(draws=1), Effort(draws=1, quick=True))


def _done(entry: Entry, context: Context) -> tuple[int, int, int]:
    jobs = [job.name for job in entry.content.jobs(context.effort)]
    done = (read_part(part_of(entry.label, name, context)) is not None for name in jobs)
    return sum(done), len(jobs), len(parts_of(entry.label, context))
