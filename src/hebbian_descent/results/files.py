"""Files that are there whole or not at all, whoever writes and whatever happens.

Content goes to a hidden file of its own name, to the disk, and then in one step to its final name. A process
that dies leaves its hidden file behind. Every writer holds a shared lock while it writes, which the operating
system takes back when it dies: whoever gets the lock for himself alone knows that all hidden files are
abandoned.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from hebbian_descent.atomic import write_atomically

try:
    import fcntl
except ImportError:  # Windows: no such lock, so abandoned files are left for the user to delete
    fcntl = None  # type: ignore[assignment]

LOCK_NAME = ".lock"
PARTIAL_PREFIX = ".partial-"


def write_whole(path: Path, content: bytes) -> None:
    """Put content under a name in one step that lasts; what stood there before is replaced."""
    with _lock_file(path.parent) as lock:
        _lock_shared(lock)
        write_atomically(path, content, _partial(path.parent))


def check_writable(folder: Path) -> None:
    """Raise what writing into a folder would raise; only an attempt tells for sure."""
    partial = _partial(folder)
    partial.touch(exist_ok=False)
    partial.unlink(missing_ok=True)


def remove_abandoned(folder: Path) -> None:
    """Delete what dead writers left behind, unless somebody is writing."""
    with _lock_file(folder) as lock:
        if _lock_alone(lock):
            for partial in folder.glob(f"{PARTIAL_PREFIX}*"):
                partial.unlink(missing_ok=True)


def is_own(name: str) -> bool:
    """Return whether a hidden file is one of those made here."""
    return name == LOCK_NAME or name.startswith(PARTIAL_PREFIX)


def _partial(folder: Path) -> Path:
    return folder / f"{PARTIAL_PREFIX}{os.getpid()}-{token_hex(8)}"


@contextmanager
def _lock_file(folder: Path) -> Iterator[int]:
    # Opened for reading, so that users who share a folder need not share the file.
    descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY | os.O_CREAT, 0o666)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _lock_shared(descriptor: int) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError:
        # A file system without locks: nobody gets one alone either, so nothing of ours can be taken away.
        return


def _lock_alone(descriptor: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
