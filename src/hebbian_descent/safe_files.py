"""Files that are written whole or not at all, and read only where they are regular files.

Content first goes to a hidden file in the same folder, then to the disk, then in one step to its final
name. The writer holds a lock on its hidden file, which the operating system releases when the writer dies:
a hidden file that nobody has locked is abandoned, and a later writer removes it.

A file to read may have been put there by somebody else: a pipe or a device is refused, never waited for.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: no such lock, so abandoned files are left for the user to delete
    fcntl = None  # type: ignore[assignment]

PARTIAL = re.compile(r"\.hebbian-descent-[0-9a-f]{16}\.partial")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file as `open` would, in one durable step: a reader sees the old content or the new."""
    with opened_atomically(path) as file:
        file.write(content)


@contextmanager
def opened_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears under its name, or replaces the old one, once it is whole.

    A link is followed, and a device or a pipe is written to directly. A file that is replaced keeps its
    permissions.
    """
    try:
        is_special = not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        is_special = False
    if is_special:
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    remove_abandoned(path.parent)
    with _replacing(path) as file:
        yield file


def replace_atomically(path: Path, content: bytes) -> None:
    """Put a file under a name in one durable step, replacing what has the name, even a link or a pipe.

    A file that is replaced keeps its permissions.
    """
    with _replacing(path) as file:
        file.write(content)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    try:
        old = path.lstat()
    except FileNotFoundError:
        old = None
    is_file = old is not None and stat.S_ISREG(old.st_mode)
    partial = None
    try:
        partial, locked = _locked_file(path.parent, private=is_file)
        with locked as file:
            if old is not None and is_file:
                _take_permissions(partial, old)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(partial, path)  # while it is locked, or another writer might consider it abandoned
        if fcntl is None:
            os.replace(partial, path)  # Windows cannot rename an open file
    except BaseException as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        # The caller does not know about the hidden file, and errors of a write name none.
        if isinstance(error, OSError) and error.filename in (None, os.fspath(partial or path)):
            error.filename = os.fspath(path)
        raise
    sync_folder(path.parent)


def new_partial(folder: Path) -> Path:
    """Return a new name for a hidden file."""
    return folder / f".hebbian-descent-{token_hex(8)}.partial"


def remove_abandoned(folder: Path) -> None:
    """Delete the hidden files of killed writers, as far as this user is allowed to."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in filter(PARTIAL.fullmatch, os.listdir(folder)):
            with suppress(OSError):
                descriptor = os.open(folder / name, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / name).unlink()  # names are random: this is the file that was locked
                finally:
                    os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _locked_file(folder: Path, *, private: bool) -> tuple[Path, BinaryIO]:
    """Create and lock a hidden file; with `private`, nobody else may open it until it is given permissions.

    Another writer may consider it abandoned, and remove it, just before it is locked. Then it needs a new
    name: a writer that still holds the removed file open might remove whatever has the old one.
    """
    mode = 0o600 if private else 0o666
    while True:
        path = new_partial(folder)
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115
        try:
            if fcntl is None:
                return path, file
            with suppress(OSError):  # without locks no other writer gets one either, and nothing is removed
                fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:
                return path, file
            file.close()
        except BaseException:
            file.close()
            path.unlink(missing_ok=True)
            raise


def _take_permissions(path: Path, old: os.stat_result) -> None:
    """Give a file the owner, group and mode of another, as far as user and file system allow."""
    mode = stat.S_IMODE(old.st_mode)
    if os.name == "posix":
        for owner in (old.st_uid, -1):  # only the group if need be
            with suppress(OSError):
                os.chown(path, owner, old.st_gid)
                break
        else:
            mode &= ~stat.S_IRWXG  # the permissions were meant for another group
    with suppress(OSError):
        path.chmod(mode)


MUST = "it must be a regular file, but is a folder, a pipe or a device"


class NotRegularError(ValueError):
    """A path does not lead to a regular file: reading it could take forever, or be impossible."""


def open_regular(path: Path) -> BufferedReader:
    """Open a file for reading, or raise a `NotRegularError`; the check is of the open file, not the path."""
    return open(path, "rb", opener=_only_a_file)


def _only_a_file(path: str, flags: int) -> int:
    # Opening a pipe would wait until somebody writes to it.
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except PermissionError:
        if os.path.isdir(path):  # Windows cannot open folders
            raise NotRegularError(MUST) from None
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotRegularError(MUST)
