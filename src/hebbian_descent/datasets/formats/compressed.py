"""Files that may be compressed, read whole up to a limit."""

from __future__ import annotations

import bz2
import gzip
import io
import os
from pathlib import Path

from hebbian_descent.regular_file import open_regular

LARGEST = 1 << 28
"""Upper bound on the decompressed size of any public file, in bytes."""
OVERHEAD = 1 << 16
"""Number of bytes by which a compressed file may exceed its content."""
PIECE = 1 << 20


def read_content(path: Path, at_most: int = LARGEST) -> bytes:
    """Return the whole decompressed content of `path`, which must not exceed `at_most` bytes.

    The compression is recognised by the first bytes, not by the name: browsers and servers decompress files
    without renaming them.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > at_most + OVERHEAD:
            raise ValueError(f"it must have at most {at_most} bytes, and has {size}")
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
