"""Terminal output: plain text in which nothing that came from a file controls the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table

from hebbian_descent.checks import printable
from hebbian_descent.table_formats import TextTable, csv_text, latex_text, terminal_table

UNLIMITED = 10_000


class PlainConsole(Console):
    """A console that interprets no markup and writes control characters out."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to write; only Rich's own control codes pass unchanged."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def echo(text: str) -> None:
    """Write text of any width to standard output, with control characters written out."""
    typer.echo(printable(text), nl=not text.endswith("\n"))


def show_table(table: TextTable, form: str = "text") -> None:
    """Print a table as text, CSV or LaTeX, complete even where the terminal is too narrow for its lines."""
    if form == "text":
        print_whole(terminal_table(table, compact=True))
    else:
        echo((csv_text if form == "csv" else latex_text)(table).rstrip())


def print_whole(table: Table) -> None:
    """Print a table with all of its numbers, even where the terminal is too narrow for its lines."""
    console = PlainConsole()
    unlimited = console.options.update(width=UNLIMITED)
    console.width = max(console.width, Measurement.get(console, unlimited, table).maximum)
    console.print(table)


def stacked(heading: str) -> str:
    """Return a heading of several words on several lines, to keep its column narrow."""
    return heading.replace(" ", "\n").replace("-", "-\n")


def tolerate_poor_terminals() -> None:
    r"""Write letters that a terminal lacks as \u2192, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
