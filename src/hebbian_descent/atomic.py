"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: no such lock, so abandoned files are left for the user to delete
    fcntl = None  # type: ignore[assignment]

ABANDONED = re.compile(r"\.hebbian-descent-[0-9a-f]{16}\.partial")


def write_atomically(path: Path, content: bytes, partial: Path | None = None) -> None:
    """Put content under a name in one step that lasts; a reader sees the old file or the new one.

    As with `open`, a link leads to the file that is written, what is no file (a device, a pipe) is written to
    directly, and a file that is replaced keeps its permissions.

    Until then the content is in a hidden file beside it. Its writer holds a lock on it, which the operating
    system takes back when the writer dies: the next writer removes the hidden files that nobody holds.

    A caller that cleans up by itself names the hidden file, `partial`, which must not exist; then whatever
    has the name, be it a link or a pipe, is replaced.
    """
    try:
        old = path.stat() if partial is None else path.lstat()
    except FileNotFoundError:
        old = None
    is_file = old is not None and stat.S_ISREG(old.st_mode)
    if partial is None:
        if old is not None and not is_file:
            path.write_bytes(content)
            return
        path = path.resolve()
        _remove_abandoned(path.parent)
        partial = path.with_name(f".hebbian-descent-{token_hex(8)}.partial")
    try:
        with _locked_file(partial, private=is_file) as file:
            if old is not None and is_file:
                _take_permissions(partial, old)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(partial, path)  # while it is locked, or somebody might take it for abandoned
        if fcntl is None:
            os.replace(partial, path)  # Windows renames no open file
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError):  # whoever asked for a file knows nothing of the hidden one
            error.filename = os.fspath(path)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlast a power failure."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _locked_file(path: Path, *, private: bool) -> BinaryIO:
    """Make a file and lock it; nobody else may open one that takes over the permissions of another later."""
    mode = 0o600 if private else 0o666
    while True:
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115
        if fcntl is None:
            return file
        with suppress(OSError):  # without locks nobody else gets one either, and nothing is removed
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # taken for abandoned in the moment before it was locked


def _take_permissions(path: Path, old: os.stat_result) -> None:
    """Give a file the owner, the group and the mode of another, as far as user and file system may."""
    mode = stat.S_IMODE(old.st_mode)
    if os.name == "posix":
        for owner in (old.st_uid, -1):  # the group alone if it must be
            with suppress(OSError):
                os.chown(path, owner, old.st_gid)
                break
        else:
            mode &= ~stat.S_IRWXG  # another group was never meant
    with suppress(OSError):
        path.chmod(mode)


def _remove_abandoned(folder: Path) -> None:
    """Delete what killed writers left behind, as far as this user may."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in filter(ABANDONED.fullmatch, os.listdir(folder)):
            with suppress(OSError):
                descriptor = os.open(folder / name, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / name).unlink()  # names are random: this is the file that was locked
                finally:
                    os.close(descriptor)
