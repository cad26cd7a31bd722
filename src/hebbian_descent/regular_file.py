"""Opening files that somebody else may have put there: a pipe or a device is refused, never waited for."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

MUST = "it must be a regular file, and is a folder, a pipe or a device"


class NotRegularError(ValueError):
    """A path does not lead to a regular file: reading it could take forever, or be impossible."""


def open_regular(path: Path) -> BufferedReader:
    """Open a file for reading, or raise a `NotRegularError`; what is opened is checked, not the path."""
    return open(path, "rb", opener=_only_a_file)


def _only_a_file(path: str, flags: int) -> int:
    # Opening a pipe would wait until somebody writes to it.
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except PermissionError:
        if os.path.isdir(path):  # Windows opens no folders
            raise NotRegularError(MUST) from None
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotRegularError(MUST)
