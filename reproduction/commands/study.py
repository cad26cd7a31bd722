"""`hebbian-descent study`: questions that the paper leaves open, measured and answered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hebbian_descent.checks import MissingExtraError, unknown_name
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import PlainConsole, show_table
from hebbian_descent.cli.failures import FAILED, SKIPPED, resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_detail, say_written, warn
from hebbian_descent.cli.options import OUTPUT, Json, Output
from hebbian_descent.cli.progress import work_progress
from hebbian_descent.datasets import DatasetUnavailableError
from reproduction.run_context import RunContext
from reproduction.studies import STUDIES
from reproduction.studies.base import Results, Study
from reproduction.studies.page import write_page
from reproduction.studies.running import kept_results, number_of_parts, results_file, run_study

ALL = "all"


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A study, or 'all'; without one, the studies and their answers are listed.",
            autocompletion=completion.one_of(ALL, *STUDIES),
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A quick look at small sizes, which answers nothing.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Measure again what an earlier run has finished.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option(help="Write the page on all results in OUTPUT to this file.", dir_okay=False),
    ] = None,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Measure what the paper leaves open: remarks without numbers, and questions for future work.

    Finished parts are saved in OUTPUT, so a stopped study resumes; parts that an earlier version measured
    with the same settings are kept, too, unless `--again` drops them. Without a name, the answers in OUTPUT
    are listed, such as those in a clone of the repository. The exit code is 1 if some of several studies
    could not be run because data or a library are missing.

    **Examples**

        hebbian-descent study
        hebbian-descent study mini_batches --quick
        hebbian-descent study spiking --again
        hebbian-descent study all --output results
        hebbian-descent study --page docs/studies.md
    """
    if name not in (None, ALL, *STUDIES):
        raise unknown_name("study", str(name), (*STUDIES, ALL))
    if quick and (page is not None or name is None):
        raise ValueError("--quick must come with the name of a study, or 'all', and without --page.")
    if again and name is None:
        raise ValueError("--again must come with the name of a study, or 'all'.")
    chosen = list(STUDIES.values()) if name in (None, ALL) else [STUDIES[str(name)]]
    found: dict[str, Results | None] = {}
    if name is None:
        found = {each.name: kept_results(each, output) for each in chosen}
    else:
        with resumable(output / "studies"):
            found = {each.name: _run(each, output, quick, again, alone=name != ALL) for each in chosen}
    wrote = [] if page is None else write_page(STUDIES.values(), output, page)
    if as_json:
        write_json({each.name: _record(each, found[each.name], quick) for each in chosen})
    elif name is None and page is None:
        _list(chosen, found, output)
    elif name is not None:
        for each in chosen:
            _show(each, found[each.name], quick)
    say_written(*wrote)
    if name is not None and None in found.values():
        raise typer.Exit(FAILED if all(results is None for results in found.values()) else SKIPPED)


def _run(study: Study, output: Path, quick: bool, again: bool, *, alone: bool) -> Results | None:
    """Run a study with a progress bar; among several, one that cannot be run is skipped with a message."""
    with work_progress(study.name, number_of_parts(study, quick=quick)) as bar:

        def count(part: str, seconds: float) -> None:
            bar.advance()
            say_detail(f"{study.name} {part}: {seconds:.1f} s")

        try:
            results = run_study(study, output, quick=quick, again=again, progress=count)
        except (DatasetUnavailableError, MissingExtraError) as reason:
            if alone:
                raise
            warn(f"Skipped {study.name}: {reason}")
            return None
    say_written(results_file(study, output, quick=quick))
    return results


def _record(study: Study, results: Results | None, quick: bool) -> dict[str, Any]:
    answer = None if results is None or quick else study.answer(results)
    return {
        "title": study.title,
        "question": study.question,
        "section": study.section,
        "verdict": None if answer is None else answer.verdict,
        "answer": None if answer is None else answer.text,
        "settings": None if results is None else results.settings,
        "parts": None if results is None else results.parts,
    }


def _list(studies: list[Study], found: dict[str, Results | None], output: Path) -> None:
    console, context = PlainConsole(), RunContext(output)
    for study in studies:
        results = found[study.name]
        block = Table.grid(padding=(0, 1))
        block.add_column(no_wrap=True, width=9)
        block.add_column(overflow="fold")
        block.add_row(Text("study", "dim"), Text(study.name, "bold"))
        block.add_row(Text("question", "dim"), Text(study.question))
        if results is None:
            command = context.command("study", study.name)
            block.add_row(Text("answer", "dim"), Text(f"not run: {command}", "dim"))
        else:
            verdict, text = study.answer(results)
            block.add_row(Text("verdict", "dim"), Text(verdict))
            block.add_row(Text("answer", "dim"), Text(text))
        console.print(block)
        console.print()


def _show(study: Study, results: Results | None, quick: bool) -> None:
    if results is None:
        return
    first, *others = study.tables(results)
    for table in (first._replace(title=study.title), *others):
        show_table(table)
    if quick:
        say("A quick look answers nothing; without --quick the study is run in full.")
    else:
        verdict, text = study.answer(results)
        PlainConsole().print(f"{verdict}: {text}")
