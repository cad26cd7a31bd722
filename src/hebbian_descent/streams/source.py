"""Source of a stream: a file, plain or compressed, or standard input; and its format."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from hebbian_descent.checks import unknown_name
from hebbian_descent.streams.block import LONGEST_ROW, Block, too_long
from hebbian_descent.streams.csv_blocks import csv_blocks
from hebbian_descent.streams.libsvm_blocks import libsvm_blocks
from hebbian_descent.streams.parquet_blocks import parquet_blocks

FORMATS = {
    "csv": (".csv", ".tsv"),
    "parquet": (".parquet", ".pq"),
    "libsvm": (".libsvm", ".svmlight", ".svm"),
}
"""Formats, and the suffixes of their files; .gz may follow."""
STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Source:
    """A file, or standard input if its path is `-`, with its format."""

    path: str
    format: str
    delimiter: str = ","

    @classmethod
    def of(cls, path: str, form: str | None = None, delimiter: str | None = None) -> Source:
        """Return a source in a given format, or in the one that the file name indicates."""
        if form is None:
            form = "csv" if path == STANDARD_INPUT else _format_of(path)
        elif form not in FORMATS:
            raise unknown_name("format", form, FORMATS)
        if delimiter is None:
            delimiter = "\t" if ".tsv" in Path(path).suffixes else ","
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise ValueError(f"The delimiter must be one character, and no quote. Got {delimiter!r}.")
        if form == "parquet" and path == STANDARD_INPUT:
            raise ValueError("Parquet must be read from a file, since it ends with its index. Got '-'.")
        return cls(path, form, delimiter)

    @property
    def name(self) -> str:
        """The name used in messages."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    @property
    def can_be_read_again(self) -> bool:
        """Whether there can be a second pass."""
        return Path(self.path).is_file() and self.path != STANDARD_INPUT

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the rows in blocks, reading only what is consumed. Close it to close the file."""
        if self.format == "parquet":
            yield from parquet_blocks(self.path)
            return
        with self._opened() as file:
            if self.format == "csv":
                yield from csv_blocks(_with_short_lines(file, self.name, b"\r\n"), self.name, self.delimiter)
            else:
                yield from libsvm_blocks(_with_short_lines(file, self.name, b"\n"), self.name)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        if self.path == STANDARD_INPUT:
            yield sys.stdin.buffer
        elif self.path.endswith(".gz"):
            with _whole(self.name), gzip.open(self.path) as packed:
                yield cast(BinaryIO, packed)
        else:
            with open(self.path, "rb") as file:
                yield file


def _with_short_lines(file: BinaryIO, name: str, ends: bytes) -> BinaryIO:
    """Return a file that refuses a line longer than `LONGEST_ROW` before it is in memory."""
    return cast(BinaryIO, io.BufferedReader(_ShortLines(file, name, ends)))


class _ShortLines(io.RawIOBase):
    def __init__(self, file: BinaryIO, name: str, ends: bytes) -> None:
        self._file, self._name, self._ends = file, name, [bytes([end]) for end in ends]
        self._line_length = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_read: int = self._file.readinto1(buffer)  # type: ignore[attr-defined]
        chunk = bytes(buffer[:n_read])
        # Blank lines count as part of the row that follows: packed, a billion of them take no space.
        last = -1 if chunk.isspace() else max(map(chunk.rfind, self._ends))
        self._line_length = n_read - last - 1 + (self._line_length if last < 0 else 0)
        if self._line_length > LONGEST_ROW:
            raise too_long(self._name)
        return n_read


@contextmanager
def _whole(name: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{name}: the file must be whole and packed by gzip. Got: {error}.") from None


def _format_of(path: str) -> str:
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    for name, endings in FORMATS.items():
        if ending in endings:
            return name
    raise ValueError(
        f"The name of the file must end in {', '.join(sum(FORMATS.values(), ()))}, or --format must say what "
        f"it holds: {', '.join(FORMATS)}. Got {path!r}."
    )
