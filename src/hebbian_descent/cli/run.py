"""`hebbian-descent run`: tables and figures of the paper, or custom ones, planned and computed from data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hebbian_descent import plotting
from hebbian_descent.checks import unknown_name
from hebbian_descent.cli.console import PlainConsole, show_table
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.options import OUTPUT, Output, parsed_overrides, parsed_shard
from hebbian_descent.cli.table import show_comparison, show_formulas
from hebbian_descent.datasets import DatasetUnavailableError
from hebbian_descent.paper.comparison import compare
from hebbian_descent.paper.experiments import Experiment, Job, Measured
from hebbian_descent.paper.extensions import errors_in, load_experiments
from hebbian_descent.paper.figures import NotMeasuredError, PaperFigure
from hebbian_descent.paper.formula_tables import FormulaTable
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.layout import measured_table
from hebbian_descent.paper.measurements import keep_effort, run_jobs
from hebbian_descent.paper.run_context import Effort, RunContext
from hebbian_descent.paper.summaries import summarise


def run(
    labels: Annotated[
        list[str], typer.Argument(help="Labels such as tab:Hetero_online_centered_1, 'all', or Python files.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trials, learning rates and epochs.")] = False,
    draws: Annotated[int, typer.Option(help="Draws of the patterns; the first has ten trials.", min=1)] = 3,
    search: Annotated[
        str | None,
        typer.Option(
            help="grid or halving, for whole datasets; by default halving only where a grid takes hours."
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
) -> None:
    """Compute tables and figures of the paper from data and compare them with the printed numbers.

    The patterns that the authors drew are unknown: a printed number is compared with several draws, as one
    more draw. Finished parts are saved in OUTPUT, so a stopped run resumes; `hebbian-descent report` shows
    everything on one page.

    **Examples**

        hebbian-descent run tab:Hetero_online_centered_1 --draws 10
        hebbian-descent run tab:Hetero_online_centered_2 --only rand-rand --set trials=50
        hebbian-descent run all --quick
        hebbian-descent run examples/my_table.py
    """
    console = PlainConsole()
    effort = Effort(draws, quick, parsed_overrides(changes or []), search)  # type: ignore[arg-type]  # checked
    part = None if shard is None else parsed_shard(shard)
    tasks = plan(labels, effort, only, part)
    if not all(task.effort.is_the_papers for task in tasks):
        console.print("Not the paper's protocol: these results are stored separately and get no verdicts.")
    skipped: dict[str, list[str]] = {}
    n_done = 0
    with resumable(console, output):
        for task in tasks:
            content, context = task.content, RunContext(output, task.effort, workers, scheduler)
            found, reasons = _run(console, task, context)
            if isinstance(content, Experiment) and found and part is None:
                _show(console, content, found, task.effort)
            if reasons:
                skipped[content.label] = reasons
            n_done += bool(found) or not reasons
    for label, reasons in skipped.items():
        console.print(f"Skipped parts of {label}: {reasons[0]}", style="yellow")
    if tasks and not n_done:
        raise typer.Exit(2)


def _run(console: PlainConsole, task: Task, context: RunContext) -> tuple[list[Measured], list[str]]:
    """Return the measurements, if it is a table, and why parts of it could not be run."""
    if isinstance(task.content, FormulaTable):
        show_formulas(task.content)
        return [], []
    if isinstance(task.content, PaperFigure):
        return [], draw_figure(console, task.content, context)
    if task.file is None:
        return run_table(console, task.content, context, task.jobs)
    with errors_in(task.file):
        return run_table(console, task.content, context, task.jobs)


def run_table(
    console: PlainConsole, experiment: Experiment, context: RunContext, jobs: Sequence[Job]
) -> tuple[list[Measured], list[str]]:
    """Run the jobs of a table with a progress bar; return their measurements, and why some could not run."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(experiment.label, total=len(jobs))
        return run_jobs(experiment, jobs, context, lambda job: bar.advance(task))


def _show(console: PlainConsole, experiment: Experiment, measured: list[Measured], effort: Effort) -> None:
    if not effort.is_the_papers or experiment.label not in INDEX:
        show_table(measured_table(f"{experiment.label}: {experiment.title}", measured))
        return
    verdicts = [verdict for verdict in compare(experiment.label, measured) if verdict.n]
    for summary in summarise(verdicts):
        title = f"{experiment.label}, {summary.column}: ours/printed, red where they differ"
        show_comparison(title, verdicts, summary.column)
    for summary in summarise(verdicts):
        console.print(f"{summary.column}: {summary}")


def draw_figure(console: PlainConsole, figure: PaperFigure, context: RunContext) -> list[str]:
    """Draw a figure and write its files; return why it could not be drawn, if so."""
    try:
        with console.status(f"Drawing {figure.label}"):
            drawn = figure.draw(context)
    except (DatasetUnavailableError, NotMeasuredError) as error:
        return [str(error)]
    name = figure.label.partition(":")[2]
    if not context.effort.is_the_papers:
        keep_effort(context.folder, context.effort)
    for path in plotting.save_figure(drawn, context.folder / "figures" / context.effort.name, name):
        console.print(f"Wrote {path}")
    return []


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

    With `only`, figures and tables without such a job are left out. A part of the work gets its share of the
    jobs of every table, and its share of the figures.
    """
    tasks = [_task(content, effort, file) for label in labels for content, file in _contents(label)]
    if only is not None:
        names = [job.name for task in tasks for job in task.jobs]
        chosen = [task._replace(jobs=[job for job in task.jobs if _begins(job, only)]) for task in tasks]
        tasks = [task for task in chosen if task.jobs]
        if not names:
            raise ValueError(f"--only must be left out: figures are drawn whole. Got {only!r}.")
        if not tasks:
            raise unknown_name("beginning of a job", only, dict.fromkeys(names))
    if part is not None:
        tables = [task for task in tasks if task.jobs]
        others = share([task for task in tasks if not task.jobs], *part)
        tasks = [*(task._replace(jobs=share(task.jobs, *part)) for task in tables), *others]
    return tasks


def _contents(label: str) -> Iterator[tuple[Content, Path | None]]:
    if label == "all":
        yield from ((known.content, None) for known in INDEX.values())
    elif label.endswith(".py"):
        yield from ((experiment, Path(label)) for experiment in load_experiments(Path(label)))
    elif label in INDEX:
        yield INDEX[label].content, None
    else:
        raise unknown_name("label", label, ("all", "a Python file", *INDEX))


def _task(content: Content, effort: Effort, file: Path | None) -> Task:
    if not isinstance(content, Experiment):
        return Task(content, effort)
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


def _begins(job: Job, only: str) -> bool:
    return f"{job.name}-".startswith(f"{only}-")


def share(work: Sequence[Work], part: int, parts: int) -> list[Work]:
    """Return part 1, 2, … of several equal parts of the work."""
    return [piece for number, piece in enumerate(work) if number % parts == part - 1]
