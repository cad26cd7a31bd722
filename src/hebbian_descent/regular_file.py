"""Files that somebody else may have put there: opened at once or refused, never waited for."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

MUST = "it must be a regular file, and is a folder, a pipe or a device"


class NotRegularError(ValueError):
    """What has the name of a file is none: it could be read for ever, or not at all."""


def open_regular(path: Path) -> BufferedReader:
    """Open a file for reading; anything else raises `NotRegularError`, also what was swapped in just now."""
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
