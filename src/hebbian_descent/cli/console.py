"""What the commands print: plain text in which nothing that came from a file steers the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from hebbian_descent.checks import printable


class PlainConsole(Console):
    """A console that takes no text for markup, and writes out control characters."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be written; only Rich's own control codes pass as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def echo(text: str) -> None:
    """Write text to standard output as it is, wide or not, but for control characters."""
    typer.echo(printable(text), nl=not text.endswith("\n"))


def tolerate_poor_terminals() -> None:
    r"""Write letters that a terminal lacks as \u2192, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
