"""Progress bars on standard error, for work that takes minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hebbian_descent.cli.messages import console_for_progress

Show = Callable[[int, int], None]
"""Takes the number of finished parts and of all."""


class WorkProgress:
    """A bar for the parts of a piece of work, and one below for the sweep that is running."""

    def __init__(self, bars: Progress, work: TaskID) -> None:
        self._bars, self._work = bars, work
        self._sweep = bars.add_task("", total=None, visible=False)

    def advance(self) -> None:
        """Count a part as done."""
        self._bars.advance(self._work)

    def leave_out(self) -> None:
        """Remove a part that could not be done from the total."""
        total = self._bars.tasks[self._work].total or 0
        self._bars.update(self._work, total=total - 1)

    def show_sweep(self, done: int, total: int) -> None:
        """Show the progress of a sweep."""
        self._bars.update(self._sweep, description="  cells", completed=done, total=total, visible=total > 1)


@contextmanager
def work_progress(what: str, n_parts: int | None) -> Iterator[WorkProgress]:
    """Show the progress of work in `n_parts` parts; None if their number is unknown."""
    with _bars(SpinnerColumn(), TEXT, BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()) as bars:
        yield WorkProgress(bars, bars.add_task(what, total=n_parts))


@contextmanager
def run_progress(what: str, n_runs_per_part: int) -> Iterator[Show]:
    """Show the progress of a sweep, counted in runs and with their speed."""
    columns = (TEXT, BarColumn(20), MofNCompleteColumn(), TextColumn("runs"), RateColumn())
    with _bars(*columns, TimeRemainingColumn()) as bars:
        task = bars.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            bars.update(task, completed=done * n_runs_per_part, total=total * n_runs_per_part)

        yield show


TEXT = TextColumn("{task.description}")


def _bars(*columns: ProgressColumn) -> Progress:
    """Return bars that disappear at the end and are never written to a file or pipe."""
    console = console_for_progress()
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


class RateColumn(ProgressColumn):
    """Runs per second."""

    def render(self, task: Task) -> Text:
        """Return the rate, if it is known."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")
