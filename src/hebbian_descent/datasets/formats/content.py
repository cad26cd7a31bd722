"""Files that may be compressed: found under any ending, read as if they were not, up to a limit."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import stat
from pathlib import Path

COMPRESSIONS = ("", ".gz", ".bz2")
LARGEST = 1 << 28
"""More bytes than any public file of the package has when decompressed."""
OVERHEAD = 1 << 16
"""Bytes by which a compressed file may exceed its content."""
PIECE = 1 << 20


def find_file(folder: Path, name: str) -> Path | None:
    """Return the file called `name`, plain or compressed, or None where there is none."""
    candidates = (folder / (name + ending) for ending in COMPRESSIONS)
    return next((path for path in candidates if path.is_file()), None)


def read_content(path: Path, at_most: int = LARGEST) -> bytes:
    """Return the whole decompressed content of `path`, which must not exceed `at_most` bytes.

    The first bytes tell the compression, not the name: browsers and servers decompress without renaming.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it must be a regular file, and is a pipe, a device or something else")
        if status.st_size > at_most + OVERHEAD:
            raise ValueError(f"it must have at most {at_most} bytes, and has {status.st_size}")
        source = _decompressing(file)
        pieces, n_bytes = [], 0
        while piece := source.read(PIECE):
            pieces.append(piece)
            n_bytes += len(piece)
            if n_bytes > at_most:
                raise ValueError(f"its content must have at most {at_most} bytes, and has more")
    return b"".join(pieces)


def _decompressing(file: io.BufferedReader) -> io.BufferedIOBase:
    beginning = file.peek(3)
    if beginning.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if beginning.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return file


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that has replaced it must not wait for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
