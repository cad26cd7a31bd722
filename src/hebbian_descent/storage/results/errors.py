"""Errors and warnings of a store and its cells."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NO_PERMISSION = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class StoreError(Exception):
    """A folder cannot serve as a store; the message says what to try."""


class MissingCellError(StoreError):
    """A cell was asked for that the store does not have."""


class DamagedCellError(StoreError):
    """A cell was asked for whose file is not what was written."""


class DamagedCellWarning(UserWarning):
    """A cell counts as missing because its file is not what was written."""


@dataclass(frozen=True)
class DamagedCell:
    """A file that carries the name of a cell and is not what was written under that name."""

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


@contextmanager
def explaining(folder: Path) -> Iterator[None]:
    """Explain a full disk, a read-only folder or a folder in place of a file, with what to try."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StoreError(
                f"A store must have room on its disk. Got {folder}: {error.strerror}. "
                "Free some space and run again: every finished cell is kept."
            ) from error
        if error.errno in NO_PERMISSION:
            raise StoreError(
                f"The folder of a store must be writable. Got {folder}: {error.strerror}. "
                "Change its permissions or choose another folder."
            ) from error
        if error.errno == errno.EISDIR:
            raise StoreError(
                f"The files of a store must not be folders. Got {error.filename2 or error.filename}; "
                "move it away and run again: every finished cell is kept."
            ) from error
        raise
