"""A folder of finished cells, one Parquet file each, that many processes may read and write at once.

A cell is finished if its file exists and its checksum is right. A damaged file counts as missing, with a
warning; computing the cell again and writing it replaces the file. The checksum is not a signature: the
content of a file is checked as if a stranger had written it.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from hebbian_descent.checks import require_extra
from hebbian_descent.safe_files import NotRegularError, remove_abandoned, replace_atomically
from hebbian_descent.storage.results.columns import arrow, joined
from hebbian_descent.storage.results.fingerprint import fingerprint
from hebbian_descent.storage.results.folder import (
    StoreError,
    check_folder,
    check_writable,
    establish,
    explaining,
    read_regular,
)
from hebbian_descent.storage.results.parquet import damage, from_parquet, table_of, to_parquet, with_checksum
from hebbian_descent.storage.results.record import Record

CELL_NAME = re.compile(r"([0-9a-f]{64})\.parquet")

LONGEST_REASON = 200

Specification = TypeVar("Specification", bound=Mapping[str, Any])
Parsed = TypeVar("Parsed")


class MissingCellError(StoreError):
    """A requested cell is not in the store."""


class DamagedCellError(StoreError):
    """The file of a requested cell is not what was written."""


class DamagedCellWarning(UserWarning):
    """A cell counts as missing because its file is not what was written."""


@dataclass(frozen=True)
class DamagedCell:
    """A file that has the name of a cell but is not what was written under that name."""

    key: str
    path: Path
    reason: str

    def __str__(self) -> str:
        advice = (
            "Move the folder away and compute the cell again."
            if self.path.is_dir()
            else "Compute the cell again: writing it replaces the file."
        )
        return f"The file of a cell must be what was written. Got {self.path}, {self.reason}. {advice}"


class Store:
    """Results by key in a folder, which is created when the first cell is written.

    Iterating yields the records of the finished cells, in the order of their keys.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._is_prepared = False
        with explaining(self.path):
            check_folder(self.path)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def prepare(self) -> None:
        """Make the folder ready for writing, or raise a `StoreError`; worth calling before a long sweep."""
        arrow()
        with explaining(self.path):
            establish(self.path)
            check_writable(self.path)
            remove_abandoned(self.path)
        self._is_prepared = True

    def key(self, specification: Mapping[str, Any]) -> str:
        """Return the key of a specification: a hash of its content."""
        return fingerprint(dict(specification))

    def has(self, key: str) -> bool:
        """Return whether a cell is finished; a damaged one is not, and gives a warning."""
        return _undamaged(self._look(key)) is not None

    def missing(self, specifications: Iterable[Specification]) -> list[Specification]:
        """Return the specifications whose cells are not finished, in the order given."""
        return [specification for specification in specifications if not self.has(self.key(specification))]

    def read(self, key: str) -> Record:
        """Return the record of a finished cell; raise an error if it is missing or damaged."""
        found = self._parsed(key, from_parquet)
        if found is None:
            raise MissingCellError(f"The key must be that of a finished cell in {self.path}. Got {key!r}.")
        if isinstance(found, DamagedCell):
            raise DamagedCellError(str(found))
        return found

    def find(self, key: str, fits: Callable[[Record], bool] = lambda _: True) -> Record | None:
        """Return the record of a finished cell, or None if it is missing; a damaged one gives a warning.

        A record that does not fit its reader's expectations also counts as damaged.
        """
        found = self._parsed(key, from_parquet)
        if isinstance(found, Record) and not fits(found):
            found = DamagedCell(key, self._file(key), "which is not what its key stands for")
        return _undamaged(found)

    def write(self, record: Record) -> str:
        """Write a cell, replacing what the store has under its key, and return the key."""
        key, content = to_parquet(record)
        if not self._is_prepared:
            self.prepare()
        with explaining(self.path):
            replace_atomically(self._file(key), with_checksum(content, key))
        return key

    def keys(self) -> list[str]:
        """Return the keys of the finished cells, sorted."""
        return [key for key in self._names() if self.has(key)]

    def damaged(self) -> list[DamagedCell]:
        """Return the cells whose files are not what was written."""
        found = (self._parsed(key, from_parquet) for key in self._names())
        return [cell for cell in found if isinstance(cell, DamagedCell)]

    def to_pandas(self, columns: Sequence[str] | None = None) -> Any:
        """Return all finished cells as one table; a column that a cell does not have is empty there.

        If some cells have text and others numbers, the whole column is text.
        """
        pandas = require_extra("pandas", extra="paper", purpose="A table of results")
        found = (_undamaged(self._parsed(key, table_of)) for key in self._names())
        tables = [
            table.select([name for name in table.column_names if columns is None or name in columns])
            for table in found
            if table is not None
        ]
        return joined(tables).to_pandas() if tables else pandas.DataFrame(columns=columns)

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.has(key)

    def __iter__(self) -> Iterator[Record]:
        for key in self._names():
            record = self.find(key)
            if record is not None:
                yield record

    def _file(self, key: str) -> Path:
        return self.path / f"{key}.parquet"

    def _names(self) -> list[str]:
        try:
            entries = os.listdir(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(match[1] for entry in entries if (match := CELL_NAME.fullmatch(entry)))

    def _look(self, key: str) -> bytes | DamagedCell | None:
        path = self._file(key)
        if not CELL_NAME.fullmatch(path.name):
            return None
        try:
            content = read_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except NotRegularError as error:
            return DamagedCell(key, path, f"which cannot be read ({error})")
        except OSError as error:
            return DamagedCell(key, path, f"which cannot be read ({error.strerror})")
        except MemoryError:
            return DamagedCell(key, path, "which is larger than the memory of this machine")
        reason = damage(content, key)
        return content if reason is None else DamagedCell(key, path, reason)

    def _parsed(self, key: str, parse: Callable[[bytes, str, str], Parsed]) -> Parsed | DamagedCell | None:
        content, path = self._look(key), self._file(key)
        if not isinstance(content, bytes):
            return content
        arrow()  # if it is missing, the cell is not to blame
        try:
            return parse(content, key, str(path))
        except (StoreError, MemoryError):  # another format; too little memory right now
            raise
        except Exception as error:  # whatever libraries raise for bytes that the store did not write
            words = ascii(f"{type(error).__name__}: {error}")[1:-1]
            return DamagedCell(key, path, f"which holds no cell ({words[:LONGEST_REASON]})")


def _undamaged(found: Parsed | DamagedCell | None) -> Parsed | None:
    if isinstance(found, DamagedCell):
        warnings.warn(str(found), DamagedCellWarning, stacklevel=3)
        return None
    return found
