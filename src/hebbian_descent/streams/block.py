"""A block of rows of a file, whatever its format, and the errors that name a place in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from hebbian_descent.checks import Array

READ_SIZE = 2**20
"""Characters of text to read at once: the memory of a block does not depend on the file."""
LONGEST_ROW = 2**24
"""Characters of a row, with room for a million columns; a packed file may hold a row of any length."""
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"})
"""Contents of a cell that mean a missing number."""

CELL_END, ROW_END = "\x1f", "\x1e"
"""Separators of cells and rows in `Block.content`, which no text contains."""


class Block(Protocol):
    """Some rows of a file, converted on demand."""

    @property
    def names(self) -> Collection[str]:
        """The columns."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def numbers(self, names: Sequence[str]) -> Array:
        """Return columns of numbers, (n_rows, n_names), with NaN where one is missing."""

    def texts(self, name: str) -> list[str]:
        """Return a column of text, with an empty one where it is missing."""

    def is_text(self, name: str) -> bool:
        """Return whether a column holds anything but numbers."""

    def indexed(self, width: int) -> csr_array[Any] | None:
        """Return the inputs if the format numbers them instead of naming them, else None."""

    def content(self, rows: slice, names: Sequence[str]) -> Mapping[str, bytes]:
        """Return what the file holds in some rows and, if it can be read by column, in some columns.

        Concatenated, the content of consecutive rows is that of all of them, whatever blocks they are in.
        """

    def place(self, row: int) -> str:
        """Return the position of a row, for a message."""


def as_numbers(cells: Sequence[str]) -> Array:
    """Return cells as numbers, NaN where one is missing, or raise a `ValueError`."""
    try:
        return np.array(list(map(float, cells)))
    except ValueError:
        return np.array([np.nan if cell.strip() in MISSING else float(cell) for cell in cells])


def is_number(cell: str) -> bool:
    """Return whether a cell can be in a column of numbers."""
    try:
        float(cell)
    except ValueError:
        return cell.strip() in MISSING
    return True


def first(found: Any) -> int:
    """Return the first row for which something is true."""
    return int(np.flatnonzero(found)[0])


def places_of(names: Sequence[str], where: str) -> dict[str, int]:
    """Return the place of each column by its name."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if not name or name in places:
            raise ValueError(
                f"{where}: every column must have its own name. Got {name!r} for column {place + 1}."
            )
        places[name] = place
    return places


def too_long(where: str) -> ValueError:
    """Return the error for a row that is longer than `LONGEST_ROW`."""
    return ValueError(
        f"{where}: a row must have at most {LONGEST_ROW:,} characters. Got a longer one: an end of line or a "
        "quote may be missing, or there are blank lines only."
    )
