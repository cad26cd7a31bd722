"""`run`: tables, figures, studies and claims, computed from data."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import pandas as pd
import typer

from hebbian_descent.checks import unknown_name
from hebbian_descent.cli.failures import FAILED, SKIPPED, resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_detail, say_written, warn
from hebbian_descent.cli.options import Json, parsed_overrides
from hebbian_descent.cli.progress import work_progress
from hebbian_descent.datasets import DatasetUnavailableError, locate
from reproduction import keeping
from reproduction.catalogue import Entry, catalogue, find
from reproduction.commands.options import Names, Output, Quick
from reproduction.commands.table import show_formulas, show_rows, show_verdicts
from reproduction.compare import FEWEST_DRAWS, verdicts_of
from reproduction.context import OUTPUT, Context, Effort
from reproduction.figures import draw
from reproduction.running import Job, Outcome
from reproduction.running import run as run_jobs

QUICK_DRAWS = 3
NOTHING = Outcome(pd.DataFrame())
"""The outcome of what has no rows."""


def run(
    names: Names = None,
    quick: Quick = False,
    draws: Annotated[
        int | None,
        typer.Option(help="Draws of the patterns, by default 5, or 3 with --quick.", min=1),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Only jobs with this prefix, such as rand-adult or mnist-softmax.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting of the protocol, such as trials=50.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes on this machine.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786 or 'local'.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="At the end, put the rows under version control.")
    ] = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Compute tables, figures, studies or claims ('all' for everything), and compare with the print.

    The patterns that the authors drew are unknown: a printed number is compared with several draws, as one
    more draw. Each finished job is saved in OUTPUT, so a stopped run resumes. The exit code is 1 if part of
    the work could not be done because data are missing, and 2 if nothing was done.

    **Examples**

        python -m reproduction run "Table 3" --draws 10
        python -m reproduction run "Figure 7"
        python -m reproduction run tab:Hetero_online_centered_2 --only rand-rand --set trials=50
        python -m reproduction run all --quick
    """
    effort = Effort(draws or (QUICK_DRAWS if quick else FEWEST_DRAWS), quick, parsed_overrides(changes or []))
    context = Context(output, effort, workers, scheduler)
    if keep and (only or not effort.is_the_papers):
        raise ValueError("--keep must come without --only, --set and --quick, which no kept numbers have.")
    entries = list(catalogue().values()) if names == ["all"] else [find(name) for name in names or ()]
    if not entries:
        raise ValueError("Name what to run, such as 'Table 3'; `python -m reproduction list` shows all.")
    drawn = [entry for entry in entries if entry.kind == "table"]
    if draws and not drawn:
        raise ValueError(f"--draws must be left out with {entries[0]}, whose draws are its own.")
    tasks = [Task(entry, _jobs(entry, effort, only)) for entry in entries]
    if not effort.is_the_papers:
        say("Not the paper's protocol: these results are stored separately and decide nothing.")
    outcomes = {}
    with resumable(output):
        for task in tasks:
            outcomes[task.entry.label] = outcome = _run(task, context)
            if not as_json:
                _show(task.entry, outcome, context)
            if keep and len(outcome.rows):
                say_written(*keeping.keep(task.entry.label, outcome, context))
    if as_json:
        write_json({label: _record(outcome) for label, outcome in outcomes.items()})
    _end(tasks, outcomes)


class Task(NamedTuple):
    """Something to run, with its jobs; figures and formulas have none."""

    entry: Entry
    jobs: Sequence[Job] = ()


def _jobs(entry: Entry, effort: Effort, only: str | None) -> list[Job]:
    """Return the jobs that begin with `only`; it and changed settings need jobs."""
    if not hasattr(entry.content, "jobs"):
        if only or effort.changes:
            raise ValueError(f"--only and --set must be left out with {entry}, which has no jobs.")
        return []
    jobs = list(entry.content.jobs(effort))
    chosen = [job for job in jobs if only is None or f"{job.name}-".startswith(f"{only}-")]
    if not chosen:
        raise unknown_name(f"job of {entry.label}", str(only), [job.name for job in jobs])
    return chosen


def _run(task: Task, context: Context) -> Outcome:
    if task.entry.kind == "formulas":
        return NOTHING
    if task.entry.kind == "figure":
        return _draw(task.entry, context)

    def count(job: Job, seconds: float | None) -> None:
        if seconds is None:
            bar.leave_out()
        else:
            bar.advance()
            say_detail(f"{task.entry} {job.name}: {seconds:.1f} s")

    with work_progress(str(task.entry), len(task.jobs)) as bar:
        return run_jobs(task.entry.content, replace(context, progress=bar.show_sweep), task.jobs, count)


def _draw(entry: Entry, context: Context) -> Outcome:
    try:
        with work_progress(f"Drawing {entry}", None) as bar:
            say_written(draw(entry.label, replace(context, progress=bar.show_sweep)))
    except DatasetUnavailableError as error:
        return NOTHING._replace(missing=(str(error),))
    return NOTHING


def _show(entry: Entry, outcome: Outcome, context: Context) -> None:
    if entry.kind == "formulas":
        show_formulas(entry.content)
    elif entry.kind == "table" and len(outcome.rows):
        if context.effort.is_the_papers:
            show_verdicts(entry, verdicts_of(entry.label, outcome.rows))
        else:
            show_rows(entry, context)
    elif entry.kind == "study" and len(outcome.rows):
        quick = " --quick" if context.effort.quick else ""
        say(f"`python -m reproduction study {entry.label}{quick}` shows the answer.")
    elif entry.kind == "claim" and len(outcome.rows) and context.effort.is_the_papers:
        say(f"`python -m reproduction claims {entry.label.split()[1]}` shows the verdict.")


def _record(outcome: Outcome) -> dict[str, Any]:
    return {"rows": outcome.rows.to_dict("records"), "missing": outcome.missing}


def _end(tasks: Sequence[Task], outcomes: dict[str, Outcome]) -> None:
    """Report what could not be done, and exit with the matching code."""
    skipped = [task.entry for task in tasks if outcomes[task.entry.label].missing]
    if not skipped:
        return
    for entry in skipped:
        warn(f"Skipped parts of {entry}: {outcomes[entry.label].missing[0]}")
    names = {name for entry in skipped for name in getattr(entry.content, "datasets", ())}
    if missing := sorted(name for name in names if locate(name) is None):
        command = shlex.join(["hebbian-descent", "data", "fetch", *missing])
        warn(f"Missing datasets: {', '.join(missing)}. `{command}` downloads them.")
    nothing = len(skipped) == len(tasks) and not any(len(found.rows) for found in outcomes.values())
    raise typer.Exit(FAILED if nothing else SKIPPED)
