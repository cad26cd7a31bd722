"""Parquet, block by block; a row group is never in memory as a whole. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbian_descent.checks import Array, require_extra
from hebbian_descent.streams.block import CELL_END, READ_SIZE, ROW_END

CELL_SIZE = 8


def parquet_blocks(path: str) -> Iterator[ParquetBlock]:
    """Yield the rows of a file in blocks of about `READ_SIZE` bytes."""
    parquet = require_extra("pyarrow.parquet", extra="parquet", purpose="Reading Parquet")
    arrow = require_extra("pyarrow", extra="parquet", purpose="Reading Parquet")
    row = 1
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=READ_SIZE) as file:
            n_rows = max(1, READ_SIZE // (CELL_SIZE * max(1, len(file.schema_arrow.names))))
            for batch in file.iter_batches(batch_size=n_rows, use_threads=False):
                yield ParquetBlock(path, row, batch)
                row += batch.num_rows
    except arrow.ArrowInvalid as error:
        raise ValueError(f"{path}: the file must be Parquet. Got: {error}.") from None


@dataclass
class ParquetBlock:
    """A record batch."""

    source: str
    first_row: int
    batch: Any

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.batch.schema.names)

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
        return ["" if value is None else str(value) for value in self.batch.column(name).to_pylist()]

    def is_text(self, name: str) -> bool:
        """Return whether the type of a column is text, plain or by dictionary."""
        types = require_extra("pyarrow.types", extra="parquet", purpose="Reading Parquet")
        kind = self.batch.schema.field(name).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind):
            return False
        if types.is_string(kind) or types.is_large_string(kind):
            return True
        raise ValueError(
            f"{self.source}: the column {name!r} must hold numbers or text. Got {kind}: leave it out with "
            f"--ignore {name}."
        )

    def indexed(self, width: int) -> None:
        """Return nothing: columns have names."""

    def content(self, rows: slice, names: Sequence[str]) -> dict[str, bytes]:
        """Return the numbers of some rows together, and each column of text."""
        start, end, _ = rows.indices(len(self))
        part = ParquetBlock(self.source, self.first_row + start, self.batch.slice(start, end - start))
        texts = [name for name in names if self.is_text(name)]
        numbers = [name for name in names if name not in texts]
        cells = {name: ROW_END.join([*part.texts(name), ""]).encode() for name in texts}
        return {CELL_END.join(numbers): part.numbers(numbers).astype("<f8", copy=False).tobytes(), **cells}

    def place(self, row: int) -> str:
        """Return the file and the row, counted from 1."""
        return f"{self.source}, row {self.first_row + row}"
