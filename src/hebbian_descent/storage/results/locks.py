"""Locks on a file that the operating system takes back from whoever dies."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

from hebbian_descent.storage.results.errors import LockedStoreWarning

try:
    import fcntl
except ImportError:  # Windows: no such lock, so abandoned files are left for the user to delete
    fcntl = None  # type: ignore[assignment]

PATIENCE = 5.0
"""Seconds of waiting after which the user is warned."""
PAUSE = 0.05
LOCKS = Path("/proc/locks")  # on Linux: who holds which lock


def lock_shared(descriptor: int, folder: Path) -> None:
    """Wait until nobody has a lock alone; after some seconds, say who waits for whom."""
    started = time.monotonic()
    while not _lock(descriptor, alone=False):
        if time.monotonic() - started > PATIENCE:
            warnings.warn(
                f"The store {folder} is locked by {_holder(descriptor)}, and process {os.getpid()} waits to "
                "write into it. It resumes by itself when the lock is given back; end the other process if "
                "it hangs.",
                LockedStoreWarning,
                stacklevel=2,
            )
            started = float("inf")
        time.sleep(PAUSE)


def lock_alone(descriptor: int) -> bool:
    """Take the lock if nobody else has it, and return whether that was so."""
    return _lock(descriptor, alone=True)


def _lock(descriptor: int, *, alone: bool) -> bool:
    # Without locks nobody gets one alone, so nothing of ours can be taken away, and all may share.
    if fcntl is None:
        return not alone
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system that has no locks
        return not alone
    return True


def _holder(descriptor: int) -> str:
    """Return in words who has the lock alone, as far as the system says."""
    inode = os.fstat(descriptor).st_ino
    try:
        for line in LOCKS.read_text().splitlines():
            _, kind, _, access, process, place, *_ = line.split()
            if (kind, access, place.rpartition(":")[2]) == ("FLOCK", "WRITE", str(inode)):
                name = Path(f"/proc/{process}/comm").read_text().strip()
                return f"process {process} ({name})"
    except (OSError, ValueError):
        pass
    return "another process"
