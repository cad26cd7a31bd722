"""Terminal output: plain text in which nothing from a file can control the terminal."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from hebbian_descent.checks import printable
from hebbian_descent.table_formats import TextTable, csv_text, latex_text, terminal_table

UNLIMITED = 10_000


class PlainConsole(Console):
    """A console that interprets no markup and writes control characters out."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to write; only Rich's own control codes pass unchanged."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def echo(text: str) -> None:
    """Write text of any width to standard output, with control characters written out."""
    typer.echo(printable(text), nl=not text.endswith("\n"))


def show_table(table: TextTable, form: str = "text") -> None:
    """Print a table as text that fits the terminal, as CSV or as LaTeX."""
    if form == "text":
        print_fitting(table)
    else:
        echo((csv_text if form == "csv" else latex_text)(table).rstrip())


def print_fitting(table: TextTable, *, compact: bool = True, wrap: Sequence[int] = ()) -> None:
    """Print a table that fits the terminal without breaking a number.

    If no column may wrap, headings are stacked; columns that still do not fit follow below, again after the
    columns of words. In a file or a pipe, lines are as long as they must be.
    """
    limit = terminal_width()
    if not wrap and _width(table, compact) > limit:
        table = table._replace(headings=[*map(stacked, table.headings)])
    for part in [table] if wrap else _parts_that_fit(table, limit, compact):
        width = _width(part, compact)
        may_wrap = () if width <= limit else wrap or range(_n_words(part))
        console = PlainConsole()
        console.width = min(width, limit)
        console.print(terminal_table(part, compact=compact, wrap=may_wrap))


def print_as_blocks(table: TextTable) -> None:
    """Print each row of a table as a block, with a line for each heading and its cell."""
    console = PlainConsole()
    console.print(table.title, style="italic")
    for row in table.rows:
        block = Table.grid(padding=(0, 1))
        for heading, cell in zip(table.headings, row, strict=True):
            block.add_row(Text(heading, "dim"), Text(str(cell)))
        console.print()
        console.print(block)


def terminal_width() -> int:
    """Return the width of the terminal, or a width that nothing exceeds if the output is redirected."""
    console = PlainConsole()
    return console.width if console.is_terminal or "COLUMNS" in os.environ else UNLIMITED


def _parts_that_fit(table: TextTable, limit: int, compact: bool) -> Iterator[TextTable]:
    n_words, n_columns = _n_words(table), len(table.headings)
    start, title = n_words, table.title
    while start < n_columns or start == n_words:
        end = n_columns
        while end > start + 1 and _width(_columns(table, n_words, start, end), compact) > limit:
            end -= 1
        yield _columns(table, n_words, start, end)._replace(title=title)
        start, title = max(end, n_words + 1), ""


def _n_words(table: TextTable) -> int:
    """Return how many columns come before the first that is aligned to the right."""
    place = table.alignment.find("r")
    return len(table.headings) if place < 0 else place


def _columns(table: TextTable, n_words: int, start: int, end: int) -> TextTable:
    """Return the columns of words, and those from `start` to `end`."""

    def chosen(row: Sequence[Any]) -> list[Any]:
        return [*row[:n_words], *row[start:end]]

    alignment = "".join(chosen(table.alignment.ljust(len(table.headings), "l")))
    return TextTable(chosen(table.headings), list(map(chosen, table.rows)), alignment=alignment)


def _width(table: TextTable, compact: bool) -> int:
    console = PlainConsole()
    unlimited = console.options.update(width=UNLIMITED)
    untitled = terminal_table(table._replace(title=""), compact=compact)
    return Measurement.get(console, unlimited, untitled).maximum


def stacked(heading: str) -> str:
    """Return a heading of several words on several lines, to keep its column narrow."""
    return heading.replace(" ", "\n").replace("-", "-\n")


def tolerate_poor_terminals() -> None:
    r"""Write letters that a terminal lacks as \u2192, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
