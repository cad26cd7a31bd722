"""What Ctrl-C says where finished work is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from hebbian_descent.cli.console import PlainConsole

INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended


@contextmanager
def resumable(console: PlainConsole, store: Path) -> Iterator[None]:
    """End on Ctrl-C with a sentence on how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        console.print(f"Stopped. What is finished is kept in {store}: run the same command again to go on.")
        raise typer.Exit(INTERRUPTED) from None
