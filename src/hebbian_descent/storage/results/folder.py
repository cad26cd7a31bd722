"""The folder of a store: what makes it one, the format of its cells, and whether it is writable.

Cells are written to hidden files first and renamed, so that a reader never sees half a cell; see
`hebbian_descent.safe_files`.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hebbian_descent.safe_files import PARTIAL, new_partial, open_regular, replace_atomically, sync_folder
from hebbian_descent.storage.strict_json import strict_json

FORMAT = 2
MARKER_NAME = "_store.json"  # readers of a folder of Parquet files ignore names with an underscore
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NO_PERMISSION = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class StoreError(Exception):
    """A folder cannot serve as a store; the message says what to try."""


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


def check_folder(folder: Path) -> None:
    """Refuse a folder that is neither a store of this format nor free to become one."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise StoreError(f"A store must be a folder. Got {folder}, a file; choose another name.")
    marker = folder / MARKER_NAME
    with suppress(FileNotFoundError):
        check_format(_read_format(marker), str(folder))
        return
    foreign = sorted(entry.name for entry in folder.iterdir() if not PARTIAL.fullmatch(entry.name))
    # Another process may have made the store between the two checks.
    if foreign and not marker.exists():
        raise StoreError(
            f"A store must be a new or empty folder, or hold a {MARKER_NAME}. "
            f"Got {folder}, which holds {foreign[0]!r}; choose another folder."
        )


def establish(folder: Path) -> None:
    """Make a new or empty folder a store; a store stays as it is."""
    check_folder(folder)
    if (folder / MARKER_NAME).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sync_folder(folder.parent)
    content = {"format": FORMAT, "content": "results of hebbian-descent, one Parquet file per cell"}
    replace_atomically(folder / MARKER_NAME, json.dumps(content, indent=2).encode() + b"\n")


def check_format(found: object, where: str) -> None:
    """Refuse the format of another version."""
    if found != FORMAT:
        raise StoreError(
            f"A store must have format {FORMAT}, which this version of hebbian-descent reads. "
            f"Got format {found!r} in {where}, written by another version; choose another folder."
        )


def check_writable(folder: Path) -> None:
    """Raise what writing into a folder would raise; only an attempt is conclusive."""
    partial = new_partial(folder)
    partial.touch(exist_ok=False)
    partial.unlink(missing_ok=True)


def read_regular(path: Path) -> bytes:
    """Return the content of a regular file; anything else raises a `NotRegularError`."""
    with open_regular(path) as file:
        return file.read()


def _read_format(marker: Path) -> object:
    try:
        return strict_json(read_regular(marker))["format"]
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"The file {marker} must state the format of the store. Got content that does not; "
            "restore it from a copy, or choose another folder."
        ) from None
