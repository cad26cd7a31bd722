"""`hebbian-descent run`: tables and figures of the paper, or custom ones, computed from data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hebbian_descent import plotting
from hebbian_descent.cli.console import PlainConsole, show_table
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.options import OUTPUT, Output, parsed_overrides, parsed_shard
from hebbian_descent.cli.plan import Task, plan
from hebbian_descent.cli.table import show_comparison, show_formulas
from hebbian_descent.datasets import DatasetUnavailableError
from hebbian_descent.paper.comparison import compare
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments import Experiment, Job, Measured
from hebbian_descent.paper.extensions import errors_in
from hebbian_descent.paper.figures import NotMeasuredError, PaperFigure
from hebbian_descent.paper.formula_tables import FormulaTable
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.layout import measured_table
from hebbian_descent.paper.measurements import keep_effort, run_jobs
from hebbian_descent.paper.run_context import RunContext
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
