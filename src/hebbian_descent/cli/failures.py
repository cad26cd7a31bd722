"""How a command fails: one sentence on standard error and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from hebbian_descent.checks import MissingExtraError
from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.storage.results import DamagedCellWarning, StoreError
from hebbian_descent.sweep.executors import WorkerLostError

INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended


@contextmanager
def resumable(store: Path) -> Iterator[None]:
    """On Ctrl-C, exit with a message on how to resume."""
    with stopping(f"Finished work is saved in {store}: run the same command again to resume."):
        yield


@contextmanager
def stopping(advice: str = "") -> Iterator[None]:
    """On Ctrl-C, exit with one line."""
    try:
        yield
    except KeyboardInterrupt:
        PlainConsole(stderr=True).print(f"Stopped. {advice}".rstrip(), soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None


SKIPPED = 1
"""Exit code of a command that did part of its work and could not do the rest."""
FAILED = 2
LONGEST = 2000
"""Longest message, in characters; lists of names from a file may be of any length."""
TRACEBACK = "HEBBIAN_DESCENT_TRACEBACK"
EXPECTED = (
    MissingExtraError,
    StoreError,
    WorkerLostError,
    DivergenceError,
    OSError,
    TypeError,
    ValueError,
)
"""Errors that a user can fix and whose message says how; all others are bugs in the package."""


@contextmanager
def failures_in_one_sentence() -> Iterator[None]:
    """Turn exceptions into one sentence and an exit code, unless HEBBIAN_DESCENT_TRACEBACK is set."""
    console = PlainConsole(stderr=True)
    try:
        with _warnings_in_one_sentence(console):
            yield
    except KeyboardInterrupt:
        console.print("Stopped.")
        raise SystemExit(INTERRUPTED) from None
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        line = " ".join(_sentence(error).splitlines())
        console.print(line if len(line) <= LONGEST else f"{line[:LONGEST]}…", style="red", soft_wrap=True)
        raise SystemExit(FAILED) from None


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"There must be enough memory. {str(error) or 'Got too little'}: try fewer patterns or trials."
    if isinstance(error, OSError) and error.strerror:
        return _of_the_system(error)
    if isinstance(error, EXPECTED) and str(error):
        return str(error)
    return (
        f"This is a bug in hebbian-descent: {type(error).__name__}: {error}. Set "
        f"{TRACEBACK}=1 and run the command again to see where, and please report it."
    )


def _of_the_system(error: OSError) -> str:
    """Return our message for an error of the operating system."""
    if error.errno == errno.ENOSPC:
        return "The disk must have room for what is written. Got: no space left on device."
    path = f"{str(error.filename)!r}" if error.filename is not None else "The path"
    match error:
        case FileNotFoundError():
            folder = Path(str(error.filename)).parent
            if folder.is_dir():
                return f"{path} must exist. Got no such file or folder."
            return (
                f"{path} must be in a folder that exists. Got {str(folder)!r}, which does not: make it first."
            )
        case PermissionError():
            return f"{path} must be accessible to you. Got: permission denied. Name another, or change that."
        case IsADirectoryError():
            return f"{path} must be a file. Got a folder."
        case NotADirectoryError() | FileExistsError():
            return f"{path} must be in a folder. Got a file in its place."
    return f"{path} must be usable. Got: {error.strerror}."


@contextmanager
def _warnings_in_one_sentence(console: PlainConsole) -> Iterator[None]:
    """Print each warning once, without the line of code that raised it."""
    shown = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            console.print(f"Note: {message}", style="yellow", soft_wrap=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DamagedCellWarning)
        warnings.showwarning = show
        yield
