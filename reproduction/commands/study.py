"""`study`: what the paper leaves open, and what our measurements answer."""

from __future__ import annotations

from typing import Any

from hebbian_descent.cli.console import PlainConsole, show_table
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say
from hebbian_descent.cli.options import Json
from hebbian_descent.table_formats import TextTable
from reproduction.catalogue import find
from reproduction.commands.options import Names, Output, Quick
from reproduction.context import OUTPUT, Context, Effort
from reproduction.numbers import numbered
from reproduction.rows import Rows
from reproduction.studies import STUDIES, Study


def study(names: Names = None, quick: Quick = False, output: Output = OUTPUT, as_json: Json = False) -> None:
    """Show studies of what the paper leaves open: protocol, tables and answer; without a name, all answers.

    Nothing is measured: `python -m reproduction run NAME` does that. The numbers are those of your own run in
    OUTPUT, or else those under version control. With --quick they are those of a quick run, which answers
    nothing.

    **Examples**

        python -m reproduction study
        python -m reproduction study mini_batches spiking
    """
    context = Context(output, Effort(quick=quick))
    chosen = [find(name, "study").content for name in names or STUDIES]
    found = {each.name: (each, each.rows(context)) for each in chosen}
    if as_json:
        write_json({name: _record(*pair, quick) for name, pair in found.items()})
    else:
        for each, rows in found.values():
            _show(each, rows, quick, in_full=bool(names))


def _record(study: Study, rows: Rows, quick: bool) -> dict[str, Any]:
    shown = {name: getattr(study, name) for name in ("title", "question", "section")}
    if not len(rows):
        return {**shown, "verdict": None, "answer": None, "tables": {}}
    verdict, answer = (None, None) if quick else study.answer(rows)
    tables = {title: table.to_dict("records") for title, table in study.tables(rows).items()}
    return {**shown, "verdict": verdict, "answer": answer, "tables": tables}


def _show(study: Study, rows: Rows, quick: bool, in_full: bool) -> None:
    console = PlainConsole()
    console.print(f"\n{study.name}: {study.question}", soft_wrap=True)
    if not len(rows):
        console.print(f"not run: python -m reproduction run {study.name}{' --quick' if quick else ''}")
        return
    if in_full:
        for step in (*study.steps, f"Rule: {study.rule}"):
            console.print(f"- {numbered(step)}", soft_wrap=True)
        for change in study.changes:
            console.print(f"- Changed after results: {change}", soft_wrap=True)
        for title, table in study.tables(rows).items():
            lines = [[str(cell) for cell in line] for line in table.to_numpy()]
            show_table(TextTable([*table], lines, title or study.title))
    if quick:
        say("A quick look answers nothing; without --quick the study is run in full.")
        return
    verdict, answer = study.answer(rows)
    console.print(f"{verdict}: {answer}", soft_wrap=True)
