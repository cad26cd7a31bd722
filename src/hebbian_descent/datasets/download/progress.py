"""A progress bar for downloads, on the terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hebbian_descent.datasets.download.store import Report


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """Show a bar on standard error while the block runs, moved by the function it yields."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=None)

        def report(received: int, total: int | None) -> None:
            progress.update(task, completed=received, total=total)

        yield report
