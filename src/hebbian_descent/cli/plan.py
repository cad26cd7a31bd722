"""Plan of a run: which tables and figures, and which of their jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from hebbian_descent.checks import unknown_name
from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments import Experiment, Job
from hebbian_descent.paper.extensions import load_experiments
from hebbian_descent.paper.figures import PaperFigure
from hebbian_descent.paper.formula_tables import FormulaTable
from hebbian_descent.paper.index import INDEX

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
