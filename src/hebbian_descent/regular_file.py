"""Files that somebody else may have put there: opened at once or refused, never waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading; a folder, a pipe or a device is a ValueError, also one swapped in just now."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115  # the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError("it must be a file, and is a pipe or a device")
    return file


def _without_waiting(path: str, flags: int) -> int:
    # Opening a pipe would wait until somebody writes to it.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
