"""Parquet, block by block; a row group is never in memory as a whole. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, in_one_line, require_extra
from hebbian_descent.streams.block import CELL_END, LONGEST_ROW, READ_SIZE, ROW_END, first, places_of

CELL_SIZE = 8
LONGEST_TEXT = 2**16
"""Bytes of a text that is used: a file of a few bytes may repeat one in each of its rows."""
MOST_PACKED, LARGEST_RATIO = 2**28, 1000
"""Bytes of a column's texts, and of each of its packed bytes, since a dictionary is read as a whole."""


def parquet_blocks(path: str) -> Iterator[ParquetBlock]:
    """Yield the rows of a file in blocks of about `READ_SIZE` bytes.

    Texts stay in their dictionaries until they are needed: a small file may repeat a long one in every row.
    """
    parquet = require_extra("pyarrow.parquet", extra="parquet", purpose="Reading Parquet")
    arrow = require_extra("pyarrow", extra="parquet", purpose="Reading Parquet")
    row = 1
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
        places_of(schema.names, path)
        kinds = {field.name: _kind(field.type) for field in schema}
        with parquet.ParquetFile(
            path,
            pre_buffer=False,
            buffer_size=READ_SIZE,
            page_checksum_verification=True,
            read_dictionary=[name for name, kind in kinds.items() if kind == "text"],
        ) as file:
            _refuse_packed(path, file.metadata, [name for name, kind in kinds.items() if kind == "text"])
            n_rows = max(1, READ_SIZE // (CELL_SIZE * max(1, len(kinds))))
            usable = [name for name, kind in kinds.items() if kind is not None]
            for batch in file.iter_batches(batch_size=n_rows, columns=usable, use_threads=False):
                batch.validate(full=True)
                for part in _cut(batch, path, row):
                    yield ParquetBlock(path, row, part, schema)
                    row += part.num_rows
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the operating system
        raise ValueError(f"{path}: the file must be whole, and Parquet. Got: {in_one_line(error)}.") from None


def _kind(kind: Any) -> str | None:
    """Return whether a type, plain or of a dictionary, is numbers or text; None if it is neither."""
    types = require_extra("pyarrow.types", extra="parquet", purpose="Reading Parquet")
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind):
        return "numbers"
    return "text" if types.is_string(kind) or types.is_large_string(kind) else None


def _refuse_packed(path: str, declared: Any, names: Sequence[str]) -> None:
    """Refuse texts that would need far more memory than the file is large."""
    for group in map(declared.row_group, range(declared.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            size, packed = column.total_uncompressed_size, column.total_compressed_size
            if column.path_in_schema in names and size > max(MOST_PACKED, LARGEST_RATIO * packed):
                raise ValueError(
                    f"{path}: the texts of {column.path_in_schema!r} take at most {MOST_PACKED:,} bytes, "
                    f"or {LARGEST_RATIO:,} times their bytes in the file. Got {size:,} in {packed:,}."
                )


def _cut(batch: Any, path: str, first_row: int) -> Iterator[Any]:
    """Cut a batch into parts whose texts take about `READ_SIZE` bytes."""
    sizes = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        if _kind(column.type) == "text":
            sizes += _lengths(column)
    if (sizes > LONGEST_ROW).any():
        row = first(sizes > LONGEST_ROW)
        raise ValueError(
            f"{path}, row {first_row + row}: the texts of a row must take at most {LONGEST_ROW:,} bytes. Got "
            f"{sizes[row]:,}."
        )
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // READ_SIZE)) + 1
    for start, end in pairwise([0, *cuts.tolist(), batch.num_rows]):
        yield batch.slice(start, end - start)


def _lengths(column: Any) -> npt.NDArray[np.int64]:
    """Return how many bytes the texts of a column take, by its dictionary."""
    compute = require_extra("pyarrow.compute", extra="parquet", purpose="Reading Parquet")
    lengths = compute.binary_length(column.dictionary).take(column.indices)
    sizes: npt.NDArray[np.int64] = compute.fill_null(lengths, 0).to_numpy(zero_copy_only=False)
    return sizes


@dataclass
class ParquetBlock:
    """A record batch of the columns that can be used, and the schema of all."""

    source: str
    first_row: int
    batch: Any
    schema: Any

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.schema.names)

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def numbers(self, names: Sequence[str]) -> Array:
        """Return columns of numbers; True and False are 1 and 0."""
        values = np.empty((len(self), len(names)))
        for place, name in enumerate(names):
            if self.is_text(name):
                raise ValueError(f"{self.source}: the column {name!r} must hold numbers. Got text.")
            values[:, place] = self.batch.column(name).to_numpy(zero_copy_only=False)
        if np.isinf(values).any():
            row, column = np.argwhere(np.isinf(values))[0]
            raise ValueError(f"{self.place(row)}: the numbers of {names[column]!r} must be finite. Got inf.")
        return values

    def texts(self, name: str) -> list[str]:
        """Return a column as text."""
        column = self.batch.column(name)
        if self.is_text(name) and (too_long := (sizes := _lengths(column)) > LONGEST_TEXT).any():
            row = first(too_long)
            raise ValueError(
                f"{self.place(row)}: a text of {name!r} must take at most {LONGEST_TEXT:,} bytes. Got "
                f"{sizes[row]:,}: shorten it, or leave the column out with --ignore {name}."
            )
        return ["" if value is None else str(value) for value in column.to_pylist()]

    def is_text(self, name: str) -> bool:
        """Return whether the type of a column is text, plain or by dictionary."""
        column_type = self.schema.field(name).type
        if (kind := _kind(column_type)) is None:
            raise ValueError(
                f"{self.source}: the column {name!r} must hold numbers or text. Got {column_type}: leave it "
                f"out with --ignore {name}."
            )
        return kind == "text"

    def indexed(self, width: int) -> None:
        """Return nothing: columns have names."""

    def content(self, rows: slice, names: Sequence[str]) -> dict[str, bytes]:
        """Return the numbers of some rows together, and each column of text."""
        start, end, _ = rows.indices(len(self))
        part = replace(self, first_row=self.first_row + start, batch=self.batch.slice(start, end - start))
        texts = [name for name in names if self.is_text(name)]
        numbers = [name for name in names if name not in texts]
        cells = {name: ROW_END.join([*part.texts(name), ""]).encode() for name in texts}
        return {CELL_END.join(numbers): part.numbers(numbers).astype("<f8", copy=False).tobytes(), **cells}

    def place(self, row: int) -> str:
        """Return the file and the row, counted from 1."""
        return f"{self.source}, row {self.first_row + row}"
