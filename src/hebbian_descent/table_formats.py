"""Tables as text: one writer for CSV, LaTeX, Markdown and the terminal.

Cells may come from untrusted files. Each format neutralises what its reader would not take for plain text:
formulas of a spreadsheet, LaTeX commands, HTML tags in Markdown, escape sequences of a terminal.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hebbian_descent.checks import printable

if TYPE_CHECKING:
    from rich.table import Table as TerminalTable
    from rich.text import Text


class Marked(NamedTuple):
    """Highlighted text; colours show only on the terminal."""

    text: str
    bold: bool = False
    style: str = ""


Cell = str | int | float | Marked | tuple[str | Marked, ...]
"""A float is written with four significant digits, in CSV with all digits."""


class TextTable(NamedTuple):
    """Headings and rows, to be written in any format."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    alignment: str = ""
    """One letter per column, l or r; all l if empty."""


def _parts(cell: Cell) -> list[Marked]:
    parts = cell if isinstance(cell, tuple) and not isinstance(cell, Marked) else (cell,)
    return [part if isinstance(part, Marked) else Marked(_shown(part)) for part in parts]


def _shown(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return "–" if math.isnan(value) else f"{value:.4g}"


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Text that begins with one of these is a formula to a spreadsheet."""


def csv_text(table: TextTable) -> str:
    """Return CSV; an apostrophe keeps a spreadsheet from computing text that looks like a formula."""
    text = io.StringIO()
    rows = ([_csv_value(cell) for cell in row] for row in (table.headings, *table.rows))
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _csv_value(cell: Cell) -> object:
    if isinstance(cell, int | float):
        return cell
    text = "".join(part.text for part in _parts(cell))
    return f"'{text}" if text.startswith(FORMULA_STARTS) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()


LATEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "→": r"$\to$",
    "–": "--",
    "\n": " ",
    "\r": " ",
    "<": r"$<$",
    ">": r"$>$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "−": r"$-$",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "Σ": r"$\Sigma$",
    "²": r"$^2$",
    "′": r"$'$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "λ": r"$\lambda$",
    "φ": r"$\phi$",
    "â": r"$\hat a$",
}


def latex_text(table: TextTable) -> str:
    """Return a LaTeX tabular."""
    heading, *rows = (
        " & ".join("".join(map(_latex, _parts(cell))) for cell in row) + r" \\"
        for row in (table.headings, *table.rows)
    )
    start = rf"\begin{{tabular}}{{{table.alignment or 'l' * len(table.headings)}}}"
    return "\n".join([start, r"\hline", heading, r"\hline", *rows, r"\hline", r"\end{tabular}"])


def _latex(part: Marked) -> str:
    text = "".join(LATEX.get(letter, letter) for letter in part.text)
    return rf"\textbf{{{text}}}" if part.bold else text


def markdown_text(table: TextTable) -> str:
    """Return a Markdown table; a line break within a cell becomes an HTML one."""
    rows = (table.headings, ["---"] * len(table.headings), *table.rows)
    return "\n".join(
        "| " + " | ".join("".join(map(_markdown, _parts(cell))) for cell in row) + " |" for row in rows
    )


def _markdown(part: Marked) -> str:
    """Return text that neither ends its cell nor begins a tag."""
    text = re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", part.text.replace("|", r"\|")).replace("\n", "<br>")
    return f"**{text}**" if part.bold else text


def terminal_table(table: TextTable, *, compact: bool = False, wrap: Iterable[int] = ()) -> TerminalTable:
    """Return a Rich table; `compact` leaves no space around columns, `wrap` lists those that may wrap.

    In right-aligned columns, decimal points are aligned.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    title = Text(printable(table.title)) if table.title else None
    made = (
        Table(title=title, box=SIMPLE_HEAD, show_edge=False, padding=0, title_justify="left")
        if compact
        else Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    )
    columns = list(zip(*(map(_terminal, row) for row in table.rows), strict=True))
    for number, heading in enumerate(table.headings):
        cells = columns[number] if columns else ()
        right = table.alignment[number : number + 1] == "r"
        may_wrap = number in wrap
        aligned = _aligned_heading(heading, cells) if right else None
        made.add_column(
            Text(printable(aligned or heading)),
            justify="right" if right and aligned is None else "left",
            no_wrap=not may_wrap,
            overflow="fold" if may_wrap else "ellipsis",
        )
    for row in zip(*columns, strict=True):
        made.add_row(*row)
    return made


def _terminal(cell: Cell) -> Text:
    from rich.text import Text

    return Text.assemble(
        *((printable(part.text), f"{'bold ' * part.bold}{part.style}".strip()) for part in _parts(cell))
    )


NUMBER = re.compile(r"[≤≥]?[-+−]?[\d,]+(?P<after>(\.\d+)?(e[-+]?\d+)?\*?)")
"""A number, optionally with a mark before or after it."""


def _aligned_heading(heading: str, cells: Sequence[Text]) -> str | None:
    """Pad cells with spaces so that their decimal points are aligned, and return a heading to match.

    Returns None where right alignment is enough. Rich drops trailing spaces when it aligns to the right, so
    all cells get the width of the column instead.
    """
    after = {id(cell): len(found["after"]) for cell in cells if (found := NUMBER.fullmatch(cell.plain))}
    if len(set(after.values())) < 2 or any("\n" in cell.plain for cell in cells):
        return None
    longest = max(after.values())
    for cell in cells:
        cell.append(" " * (longest - after.get(id(cell), longest)))
    lines = heading.split("\n")
    width = max(*(cell.cell_len for cell in cells), *map(len, lines))
    for cell in cells:
        cell.pad_left(width - cell.cell_len)
    return "\n".join(line.rjust(width) for line in lines)


def heading_anchor(title: str) -> str:
    """Return the address of a Markdown heading within its page."""
    return re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-")
