"""Files that are there whole or not at all, whoever writes and whatever happens.

Content goes to a hidden file of its own name, to the disk, and then in one step to its final name. A process
that dies leaves its hidden file behind. Every writer holds a shared lock while it writes, which the operating
system takes back when it dies: whoever gets the lock for himself alone knows that all hidden files are
abandoned.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from hebbian_descent.atomic import write_atomically
from hebbian_descent.regular_file import open_regular
from hebbian_descent.storage.results.locks import lock_alone, lock_shared

LOCK_NAME = ".lock"
PARTIAL_PREFIX = ".partial-"
NOT_WAITING = getattr(os, "O_NONBLOCK", 0)  # opening a named pipe waits for its other end


def read_regular(path: Path) -> bytes:
    """Return the content of a regular file; of anything else nothing is read."""
    with open_regular(path) as file:
        return file.read()


def write_whole(path: Path, content: bytes) -> None:
    """Put content under a name in one step that lasts; what stood there before is replaced."""
    with _lock_file(path.parent) as lock:
        lock_shared(lock, path.parent)
        write_atomically(path, content, _partial(path.parent))


def check_writable(folder: Path) -> None:
    """Raise what writing into a folder would raise; only an attempt tells for sure."""
    partial = _partial(folder)
    partial.touch(exist_ok=False)
    partial.unlink(missing_ok=True)


def remove_abandoned(folder: Path) -> None:
    """Delete what dead writers left behind, unless somebody is writing."""
    with _lock_file(folder) as lock:
        if lock_alone(lock):
            for partial in folder.glob(f"{PARTIAL_PREFIX}*"):
                with suppress(OSError):  # a folder of that name, or another user's file: in nobody's way
                    partial.unlink()


def is_own(name: str) -> bool:
    """Return whether a hidden file is one of those made here."""
    return name == LOCK_NAME or name.startswith(PARTIAL_PREFIX)


def _partial(folder: Path) -> Path:
    return folder / f"{PARTIAL_PREFIX}{os.getpid()}-{token_hex(8)}"


@contextmanager
def _lock_file(folder: Path) -> Iterator[int]:
    # Opened for reading, so that users who share a folder need not share the file.
    descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY | os.O_CREAT | NOT_WAITING, 0o666)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
