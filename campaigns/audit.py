"""An audit of what Python does: hostile data must never run code or reach a network."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from campaigns.campaign import BrokenPromiseError

FORBIDDEN = (
    "ctypes.",
    "ftplib.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "pickle.find_class",
    "socket.",
    "subprocess.",
    "urllib.",
)
_watch: list[Path] = []  # the folder that may be written to, while the audit is active
_installed = False


class ForbiddenError(BrokenPromiseError):
    """Something happened that data must never cause."""


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Raise if anything starts a process, opens a connection, unpickles, or opens a foreign file to write."""
    global _installed
    if not _installed:
        sys.addaudithook(_hook)  # permanently: hooks cannot be removed
        _installed = True
    _watch.append(folder.resolve())
    try:
        yield
    finally:
        _watch.pop()


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _watch:
        return
    if event.startswith(FORBIDDEN):
        raise ForbiddenError(f"{event} {arguments!r}")
    if event == "open":
        path, _, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes and isinstance(path, str | bytes) and _watch[-1] not in Path(os.fsdecode(path)).parents:
            raise ForbiddenError(f"{event} {arguments!r}")
