"""Messages besides the results: on standard error, as much as --quiet and --verbose ask for."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.failures import stopping


class Volume(IntEnum):
    """How much is said."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


_VOLUME = ContextVar("volume", default=Volume.NORMAL)


def say(text: str) -> None:
    """Print a message, unless --quiet asks for silence."""
    if _VOLUME.get() >= Volume.NORMAL:
        _print(text)


def say_detail(text: str) -> None:
    """Print a message only with --verbose."""
    if _VOLUME.get() >= Volume.VERBOSE:
        _print(text, "dim")


def warn(text: str, style: str = "yellow") -> None:
    """Print a message that must not be missed, even with --quiet."""
    _print(text, style)


def _print(text: str, style: str = "") -> None:
    PlainConsole(stderr=True).print(text, style=style, soft_wrap=True)


def say_written(*paths: Path) -> None:
    """Name the files that were written, each on a line."""
    for path in paths:
        say(f"Wrote {path}")


def console_for_progress() -> PlainConsole:
    """Return the console for progress bars: standard error, or nothing at all."""
    return PlainConsole(stderr=True, quiet=_VOLUME.get() == Volume.QUIET)


@contextmanager
def waiting_for(what: str) -> Iterator[Callable[[str], None]]:
    """Show that the command is working, and on what; the yielded function changes the text."""
    with console_for_progress().status(what) as status:
        yield status.update


Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Neither progress nor names of written files.", show_default=False),
]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Also say how long each part took.", show_default=False),
]

Command = TypeVar("Command", bound=Callable[..., Any])


def with_volume(command: Command) -> Command:
    """Return a command that also has the options --quiet and --verbose."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def with_options(*, quiet: bool, verbose: bool, **options: Any) -> None:
        if quiet and verbose:
            raise ValueError("Give --quiet or --verbose, not both.")
        token = _VOLUME.set(Volume.QUIET if quiet else Volume.VERBOSE if verbose else Volume.NORMAL)
        start = time.perf_counter()
        try:
            with stopping():
                command(**options)
            say_detail(f"Took {time.perf_counter() - start:.1f} s.")
        finally:
            _VOLUME.reset(token)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)
        for name, annotation in {"quiet": Quiet, "verbose": Verbose}.items()
    ]
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in signature.parameters.values()
    ]
    with_options.__signature__ = signature.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]
    with_options.__annotations__ = {
        parameter.name: parameter.annotation for parameter in (*parameters, *added)
    }
    return with_options  # type: ignore[return-value]  # the same, with two more options
