"""LIBSVM text, block by block: `label index:value index:value ...`, indices ascending, from 0 or 1."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
from scipy.sparse import csr_array

from hebbian_descent.checks import Array
from hebbian_descent.streams.block import READ_SIZE

LABEL = "label"
"""The name of the first column, which is the target."""


def libsvm_blocks(file: BinaryIO, name: str) -> Iterator[LibsvmBlock]:
    """Yield the rows of a file in blocks of about `READ_SIZE` bytes; comments begin with #."""
    line = 1
    while lines := file.readlines(READ_SIZE):
        yield LibsvmBlock(name, line, lines)
        line += len(lines)


@dataclass
class LibsvmBlock:
    """Some lines, parsed when they are needed."""

    source: str
    first_line: int
    lines: list[bytes]

    @property
    def names(self) -> tuple[str]:
        """The one column that has a name."""
        return (LABEL,)

    def __len__(self) -> int:
        return len(self._filled)

    def numbers(self, names: Sequence[str]) -> Array:
        """Return the labels, the only column that has a name."""
        return self._parsed[1][:, np.newaxis]

    def texts(self, name: str) -> list[str]:
        """Return the labels as they are written."""
        return [text.split(maxsplit=1)[0].decode() for _, text in self._filled]

    def is_text(self, name: str) -> bool:
        """Return False: labels are numbers."""
        return False

    def indexed(self, width: int) -> csr_array[Any]:
        """Return the inputs; index 7 is column 7, whether the file counts from 0 or from 1."""
        X = self._parsed[0]
        if X.shape[1] > width:
            bits = int(X.shape[1] - 1).bit_length()
            row = int(np.searchsorted(X.indptr, np.flatnonzero(X.indices >= width)[0], side="right")) - 1
            raise ValueError(
                f"{self.place(row)}: an index must be below {width}, the number of inputs. Got "
                f"{X.shape[1] - 1} in this block: try --hash-bits {bits} or more."
            )
        return csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))

    def content(self, rows: slice, names: Sequence[str]) -> dict[str, bytes]:
        """Return some rows without their comments."""
        return {"": b"".join(text + b"\n" for _, text in self._filled[rows])}

    def place(self, row: int) -> str:
        """Return the file and the line."""
        return f"{self.source}, line {self._filled[row][0]}"

    @cached_property
    def _filled(self) -> list[tuple[int, bytes]]:
        """The lines that hold more than a comment, each with its number."""
        rows = (
            (number, text.partition(b"#")[0].strip())
            for number, text in enumerate(self.lines, self.first_line)
        )
        return [(number, text) for number, text in rows if text]

    @cached_property
    def _parsed(self) -> tuple[Any, Array]:
        try:
            return _parse([text for _, text in self._filled])
        except (ValueError, OverflowError):
            for number, text in self._filled:  # one at a time, to find the line
                try:
                    _parse([text])
                except (ValueError, OverflowError) as error:
                    shown = text[:60].decode(errors="backslashreplace")
                    raise ValueError(
                        f"{self.source}, line {number}: a row must be a number, then index:value pairs in "
                        f"ascending order. Got {shown!r}: {error}."
                    ) from None
            raise


def _parse(rows: list[bytes]) -> tuple[Any, Array]:
    from sklearn.datasets import load_svmlight_file  # only here: scikit-learn takes a while to import

    X, labels = load_svmlight_file(io.BytesIO(b"\n".join(rows)), zero_based=True)
    if not (np.isfinite(X.data).all() and np.isfinite(labels).all()):
        raise ValueError("numbers must be finite")
    return X, labels
