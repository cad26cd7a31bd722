"""`hebbian-descent run`: tables and figures of the paper, or custom ones, computed from data."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import typer

from hebbian_descent import plotting
from hebbian_descent.checks import unknown_name
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import PlainConsole, show_table
from hebbian_descent.cli.failures import FAILED, SKIPPED, resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_detail, say_written, warn
from hebbian_descent.cli.options import OUTPUT, Json, Output, check_where, parsed_overrides, parsed_shard
from hebbian_descent.cli.progress import work_progress
from hebbian_descent.datasets import DatasetUnavailableError, locate
from reproduction.commands.table import records, show_comparison, show_formulas
from reproduction.comparison import FEWEST_DRAWS, compare, is_enough
from reproduction.experiments import Experiment, Job, Measured
from reproduction.extensions import errors_in, load_experiments
from reproduction.figures import NotMeasuredError, PaperFigure
from reproduction.formula_tables import FormulaTable
from reproduction.index import INDEX
from reproduction.kept_evidence import kept_rate
from reproduction.layout import measured_table
from reproduction.measurements import keep_effort, run_jobs
from reproduction.run_context import SEARCHES, Effort, RunContext
from reproduction.summaries import summarise

ALL = "all"
QUICK_DRAWS = 3


def run(
    labels: Annotated[
        list[str],
        typer.Argument(
            metavar="LABEL",
            help="Labels such as tab:Hetero_online_centered_1, 'all', or Python files.",
            autocompletion=completion.labels,
            show_default=False,
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trials, learning rates and epochs.")] = False,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Draws of the patterns, by default 5, or 3 with --quick; the first has ten trials.", min=1
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            help="grid, halving, or kept (the learning rates of the evidence in OUTPUT), for whole datasets; "
            "by default halving only where a grid takes hours.",
            autocompletion=completion.one_of(*SEARCHES),
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Only jobs with this prefix, such as rand-adult or mnist-softmax.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting of the protocol, such as trials=50.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes on this machine.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786 or 'local'.")] = None,
    shard: Annotated[
        str | None, typer.Option(help="Part i of n, such as '2/5', into a folder shared with the others.")
    ] = None,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Compute tables and figures of the paper from data and compare them with the printed numbers.

    The patterns that the authors drew are unknown: a printed number is compared with several draws, as one
    more draw. Finished parts are saved in OUTPUT, so a stopped run resumes; `hebbian-descent report` shows
    everything on one page. The exit code is 1 if some of the work could not be done because data are missing,
    and 2 if nothing was done.

    **Examples**

        hebbian-descent run tab:Hetero_online_centered_1 --draws 10
        hebbian-descent run tab:Hetero_online_centered_2 --only rand-rand --set trials=50
        hebbian-descent run all --quick
        hebbian-descent run examples/my_table.py
    """
    draws = draws or (QUICK_DRAWS if quick else FEWEST_DRAWS)
    effort = Effort(draws, quick, parsed_overrides(changes or []), search)  # type: ignore[arg-type]  # checked
    part = None if shard is None else parsed_shard(shard)
    check_where(workers, scheduler)
    tasks = plan(labels, effort, only, part)
    if not all(task.effort.is_the_papers for task in tasks):
        say("Not the paper's protocol: these results are stored separately and decide nothing.")
    outcomes: dict[str, Outcome] = {}
    with resumable(output):
        for task in tasks:
            rate_of = partial(kept_rate, output, task.content.label)
            context = RunContext(output, task.effort, workers, scheduler, kept_rate=rate_of)
            outcome = _run(task, context, as_json)
            outcomes[task.content.label] = outcome
            if isinstance(task.content, Experiment) and outcome.measured and part is None and not as_json:
                _show(task.content, outcome.measured, task.effort)
    if as_json:
        write_json({task.content.label: _record(task, outcomes[task.content.label]) for task in tasks})
    _end(tasks, outcomes)


class Outcome(NamedTuple):
    """The outcome of a table or figure."""

    measured: Sequence[Measured] = ()
    wrote: Sequence[Path] = ()
    skipped: Sequence[str] = ()
    """Why parts of it could not be done."""
    n_skipped: int = 0
    """The number of jobs that could not be done; 1 for a figure."""


def _run(task: Task, context: RunContext, as_json: bool) -> Outcome:
    if isinstance(task.content, FormulaTable):
        if not as_json:
            show_formulas(task.content)
        return Outcome()
    if isinstance(task.content, PaperFigure):
        return draw_figure(task.content, context)
    if task.file is None:
        return run_table(task.content, context, task.jobs)
    with errors_in(task.file):
        return run_table(task.content, context, task.jobs)


def _end(tasks: Sequence[Task], outcomes: dict[str, Outcome]) -> None:
    """Report what could not be done, and exit with the matching code."""
    missing: dict[str, None] = {}
    for task in tasks:
        outcome, label = outcomes[task.content.label], task.content.label
        if outcome.skipped:
            what = f"{outcome.n_skipped} of {len(task.jobs)} jobs of {label}" if task.jobs else label
            warn(f"Skipped {what}: {outcome.skipped[0]}")
            missing |= dict.fromkeys(name for name in sorted(task.content.datasets) if locate(name) is None)
    if missing:
        command = shlex.join(["hebbian-descent", "data", "fetch", *missing])
        warn(f"Missing datasets: {', '.join(missing)}. `{command}` downloads them.")
    if any(outcome.skipped for outcome in outcomes.values()):
        nothing = all(outcome.skipped and not outcome.measured for outcome in outcomes.values())
        raise typer.Exit(FAILED if nothing else SKIPPED)


def run_table(experiment: Experiment, context: RunContext, jobs: Sequence[Job]) -> Outcome:
    """Run the jobs of a table with a progress bar."""
    n_skipped = 0

    def count(job: Job, seconds: float | None) -> None:
        nonlocal n_skipped
        if seconds is None:
            n_skipped += 1
            bar.leave_out()
        else:
            bar.advance()
            say_detail(f"{experiment.label} {job.name}: {seconds:.1f} s")

    with work_progress(experiment.label, len(jobs)) as bar:
        measured, reasons = run_jobs(experiment, jobs, replace(context, progress=bar.show_sweep), count)
    return Outcome(measured, skipped=reasons, n_skipped=n_skipped)


def _show(experiment: Experiment, measured: Sequence[Measured], effort: Effort) -> None:
    if not effort.is_the_papers or experiment.label not in INDEX:
        show_table(measured_table(f"{experiment.label}: {experiment.title}", measured))
        return
    verdicts = [verdict for verdict in compare(experiment.label, measured) if verdict.n]
    for summary in summarise(verdicts):
        show_comparison(experiment.label, verdicts, summary.column)
    for summary in summarise(verdicts):
        PlainConsole().print(f"{summary.column}: {summary}", soft_wrap=True)
    if not all(is_enough(verdict.row, verdict.n) for verdict in verdicts):
        say(f"Fewer than {FEWEST_DRAWS} draws decide nothing: `--draws 10` adds the others, and keeps these.")


def _record(task: Task, outcome: Outcome) -> dict[str, Any]:
    """Return the outcome of a table or figure, for JSON."""
    content = task.content
    formulas = records(content.text_table) if isinstance(content, FormulaTable) else None
    judged = content.label in INDEX and task.effort.is_the_papers and outcome.measured
    verdicts = compare(content.label, outcome.measured) if judged else []
    return {
        "options": task.effort.options,
        "rows": formulas or outcome.measured,
        "summary": summarise(verdict for verdict in verdicts if verdict.n),
        "wrote": outcome.wrote,
        "skipped": outcome.skipped,
        "n_skipped": outcome.n_skipped,
    }


def draw_figure(figure: PaperFigure, context: RunContext) -> Outcome:
    """Draw a figure, with a progress bar, and write its files."""
    try:
        with work_progress(f"Drawing {figure.label}", None) as bar:
            drawn = figure.draw(replace(context, progress=bar.show_sweep))
    except (DatasetUnavailableError, NotMeasuredError) as error:
        return Outcome(skipped=[str(error)], n_skipped=1)
    name = figure.label.partition(":")[2]
    if not context.effort.is_the_papers:
        keep_effort(context.folder, context.effort)
    paths = plotting.save_figure(drawn, context.folder / "figures" / context.effort.name, name)
    say_written(*paths)
    return Outcome(wrote=paths)


Work = TypeVar("Work")

Content = Experiment | FormulaTable | PaperFigure


class Task(NamedTuple):
    """A table or figure to run, with the effort that it supports."""

    content: Content
    effort: Effort
    jobs: Sequence[Job] = ()
    file: Path | None = None
    """The user's file that defines it."""


def plan(labels: Sequence[str], effort: Effort, only: str | None, part: tuple[int, int] | None) -> list[Task]:
    """Return what to run; all errors that can be detected in advance are raised here.

    With `all`, what has no such setting or job is left out, with a message. A part of the work gets
    its share of the jobs of every table, and its share of the figures.
    """
    tasks: list[Task] = []
    for label in labels:
        if label == ALL:
            tasks += _of_all(effort, only)
        else:
            tasks += [_only(_task(content, effort, file), only) for content, file in _contents(label)]
    if part is not None:
        tables = [task for task in tasks if task.jobs]
        others = share([task for task in tasks if not task.jobs], *part)
        tasks = [*(task._replace(jobs=share(task.jobs, *part)) for task in tables), *others]
    return tasks


def _of_all(effort: Effort, only: str | None) -> list[Task]:
    tasks, left_out = [], {}
    for known in INDEX.values():
        try:
            tasks.append(_only(_task(known.content, effort, None), only))
        except (TypeError, ValueError) as error:
            left_out[known.label] = error
    if not tasks:
        raise next(error for label, error in left_out.items() if label.startswith("tab:"))
    if left_out:
        say(f"Left out, because they have no such settings or jobs: {', '.join(left_out)}.")
    return tasks


def _contents(label: str) -> Iterator[tuple[Content, Path | None]]:
    if label.endswith(".py"):
        yield from ((experiment, Path(label)) for experiment in load_experiments(Path(label)))
    elif label in INDEX:
        yield INDEX[label].content, None
    else:
        raise unknown_name("label", label, (ALL, "a Python file", *INDEX))


def _task(content: Content, effort: Effort, file: Path | None) -> Task:
    if isinstance(content, FormulaTable):
        if effort.overrides:
            raise ValueError(f"{content.label} must be run without --set: it is checked by its formulas.")
        return Task(content, effort)
    if isinstance(content, PaperFigure):
        content.check(effort)
        return Task(content, effort)
    if effort.search == "kept" and "kept" not in content.searches:
        raise ValueError(
            f"--search kept must come with a table of whole datasets. Got {content.label}, whose draws "
            "choose their own learning rates: leave it out."
        )
    effort = content.limited(effort)
    content.check(effort)
    jobs = list(content.jobs(effort))
    for name, n in Counter(job.name for job in jobs).items():
        if n > 1:
            raise ValueError(
                f"The parts of {content.label} must have different names. Got {name!r:.200} {n} times: "
                "rename a dataset, since a part is named by its datasets with '-' between them."
            )
    return Task(content, effort, jobs, file)


def _only(task: Task, only: str | None) -> Task:
    """Return a task with the jobs that begin with `only`; without one it would be left out silently."""
    if only is None:
        return task
    if not task.jobs:
        raise ValueError(
            f"--only must be left out with {task.content.label}, which cannot be divided. Got {only!r}."
        )
    chosen = [job for job in task.jobs if _begins(job, only)]
    if not chosen:
        raise unknown_name(f"job of {task.content.label}", only, _beginnings(task.jobs))
    return task._replace(jobs=chosen)


def _beginnings(jobs: Iterable[Job]) -> dict[str, None]:
    """Return all valid values of `--only`: the names of the jobs, and their prefixes."""
    words = (job.name.split("-") for job in jobs)
    return {"-".join(name[:n]): None for name in words for n in range(1, len(name) + 1)}


def _begins(job: Job, only: str) -> bool:
    return f"{job.name}-".startswith(f"{only}-")


def share(work: Sequence[Work], part: int, parts: int) -> list[Work]:
    """Return part 1, 2, … of several equal parts of the work."""
    return [piece for number, piece in enumerate(work) if number % parts == part - 1]
