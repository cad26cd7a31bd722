"""CSV, block by block: a line of names, then one row per line; quoted cells may contain line breaks."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import BinaryIO

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.streams.block import (
    CELL_END,
    LONGEST_ROW,
    MISSING,
    READ_SIZE,
    ROW_END,
    as_numbers,
    first,
    is_number,
    places_of,
    too_long,
)

QUOTE = '"'


def csv_blocks(file: BinaryIO, name: str, delimiter: str) -> Iterator[CsvBlock]:
    """Yield the rows of a file in blocks of about `READ_SIZE` characters."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    line = 1
    try:
        heading = _Records(text, name, delimiter, line)
        names = [cell.strip() for cell in next(iter(heading), [])]
        if not names:
            raise ValueError(f"{name}: the first line must name the columns. Got an empty file.")
        places = places_of(names, f"{name}, line 1")
        line = heading.next_line
        while lines := text.readlines(READ_SIZE):
            records = None
            if any(QUOTE in row for row in lines):
                # A quoted cell may extend beyond these lines: read to the end of its row.
                records = _Records(chain(lines, text), name, delimiter, line, until=len(lines))
                records.read()
            yield CsvBlock(places, name, delimiter, line, lines, records)
            line = records.next_line if records else line + len(lines)
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}, after line {line}: the text must be UTF-8. Got: {error}.") from None
    finally:
        text.detach()  # the caller closes the file


@dataclass
class CsvBlock:
    """Complete rows; without quotes they are parsed only when they are needed."""

    places: Mapping[str, int]
    source: str
    delimiter: str
    first_line: int
    lines: list[str]
    quoted: _Records | None

    @property
    def names(self) -> Collection[str]:
        """The columns, in the order of the file."""
        return self.places.keys()

    def __len__(self) -> int:
        return len(self.quoted.rows if self.quoted else self._filled_lines)

    def numbers(self, names: Sequence[str]) -> Array:
        """Return columns of numbers: by a compiled parser if they are plain, else cell by cell."""
        if not names:
            return np.empty((len(self), 0))
        values = None
        if self.quoted is None:
            wanted = [self.places[name] for name in names]
            values = _parsed_numbers(self._filled_lines, self.delimiter, len(self.places), wanted)
        if values is None:
            values = np.array([self._numbers_of(name) for name in names]).reshape(len(names), -1).T
        if np.isinf(values).any():
            row, column = np.argwhere(np.isinf(values))[0]
            raise ValueError(f"{self.place(row)}: the numbers of {names[column]!r} must be finite. Got inf.")
        return values

    def texts(self, name: str) -> list[str]:
        """Return a column as it is written."""
        return list(self._columns[self.places[name]])

    def is_text(self, name: str) -> bool:
        """Return whether some cell is neither a number nor missing."""
        return not all(map(is_number, self._columns[self.places[name]]))

    def indexed(self, width: int) -> None:
        """Return nothing: columns have names."""

    def content(self, rows: slice, names: Sequence[str]) -> dict[str, bytes]:
        """Return all cells of some rows under the names of all columns; delimiter and quotes do not count."""
        if self.quoted is None:
            lines = [line.rstrip("\r\n") for line in self._filled_lines[rows]]
            text = ROW_END.join([*lines, ""]).replace(self.delimiter, CELL_END)
        else:
            text = ROW_END.join([*map(CELL_END.join, self.quoted.rows[rows]), ""])
        return {CELL_END.join(self.names): text.encode()}

    def place(self, row: int) -> str:
        """Return the file and the line."""
        return f"{self.source}, line {self._records.lines[row]}"

    @cached_property
    def _filled_lines(self) -> list[str]:
        return [line for line in self.lines if line.rstrip("\r\n")]

    @cached_property
    def _records(self) -> _Records:
        if self.quoted is not None:
            return self.quoted
        records = _Records(self.lines, self.source, self.delimiter, self.first_line)
        records.read()
        return records

    @cached_property
    def _columns(self) -> list[tuple[str, ...]]:
        """The cells by column, after a check that each row has as many as there are names."""
        records = self._records
        for line, row in zip(records.lines, records.rows, strict=True):
            if len(row) != len(self.names):
                raise ValueError(
                    f"{self.source}, line {line}: a row must have {len(self.names)} cells, one per name in "
                    f"the first line. Got {len(row)}."
                )
        return list(zip(*records.rows, strict=True)) if records.rows else [()] * len(self.names)

    def _numbers_of(self, name: str) -> Array:
        cells = self._columns[self.places[name]]
        try:
            return as_numbers(cells)
        except ValueError:
            row = first([not is_number(cell) for cell in cells])
            raise ValueError(
                f"{self.place(row)}: the column {name!r} must hold numbers, as its first rows do. Got "
                f"{cells[row]!r}: correct it, or learn the column as text, `learn --text {name}`."
            ) from None


class _Records:
    """The rows of some lines by Python's parser, each with the number of its last line."""

    def __init__(
        self, lines: Iterable[str], source: str, delimiter: str, line: int, until: int | None = None
    ) -> None:
        self._parser = csv.reader(self._counted(lines), delimiter=delimiter, strict=True)
        self._source, self._before, self._until = source, line - 1, until
        self._row_length = 0
        self.rows: list[list[str]] = []
        self.lines: list[int] = []

    def __iter__(self) -> Iterator[list[str]]:
        try:
            for row in self._parser:
                self._row_length = 0
                if row:
                    yield row
                if self._until is not None and self._parser.line_num >= self._until:
                    return
        except csv.Error as error:
            raise ValueError(
                f"{self._source}, line {self.next_line - 1}: a row must be valid CSV. Got: {error}."
            ) from None

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines, but refuse a row of quoted line breaks that does not end."""
        for line in lines:
            self._row_length += len(line)
            if self._row_length > LONGEST_ROW:
                raise too_long(f"{self._source}, after line {self.next_line - 1}")
            yield line

    def read(self) -> None:
        """Read all rows, up to the first that ends at or beyond line `until`."""
        for row in self:
            self.rows.append(row)
            self.lines.append(self.next_line - 1)

    @property
    def next_line(self) -> int:
        """The number of the line after those that were read."""
        return self._before + self._parser.line_num + 1


def _parsed_numbers(lines: list[str], delimiter: str, n_columns: int, wanted: Sequence[int]) -> Array | None:
    """Return the wanted columns of lines without quotes, or None if they need a closer look.

    Any available compiled parser converts them; all give the same bits.
    """
    if {line.count(delimiter) for line in lines} != {n_columns - 1}:
        return None
    with suppress(ImportError, ValueError):
        return _by_arrow(lines, delimiter, n_columns, wanted)
    for attempt in (lines, _without_gaps(lines, delimiter)):
        with suppress(ValueError):
            return np.loadtxt(attempt, delimiter=delimiter, comments=None, usecols=wanted, ndmin=2)
    return None


def _by_arrow(lines: list[str], delimiter: str, n_columns: int, wanted: Sequence[int]) -> Array:
    """Parse numbers more than twice as fast as NumPy, if pyarrow is installed."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    names = [str(place) for place in range(n_columns)]
    chosen = [names[place] for place in wanted]
    text = "".join(lines).encode()
    table = arrow_csv.read_csv(
        pyarrow.py_buffer(text),
        arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=len(text) + 1),
        arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(chosen, pyarrow.float64()),
            include_columns=chosen,
            null_values=[*MISSING],
        ),
    )
    return np.column_stack([column.to_numpy() for column in table.columns])


def _without_gaps(lines: list[str], delimiter: str) -> Iterator[str]:
    """Yield lines with nan in their empty cells."""
    gap, filled = 2 * delimiter, f"{delimiter}nan{delimiter}"
    for line in lines:
        cells = delimiter + line.rstrip("\r\n") + delimiter
        yield cells.replace(gap, filled).replace(gap, filled)[1:-1]  # twice: gaps may share a delimiter
