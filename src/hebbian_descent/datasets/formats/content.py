"""Files that may be compressed: found under any ending, read as if they were not."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path

COMPRESSIONS = ("", ".gz", ".bz2")


def find_file(folder: Path, name: str) -> Path | None:
    """Return the file called `name`, plain or compressed, or None where there is none."""
    candidates = (folder / (name + ending) for ending in COMPRESSIONS)
    return next((path for path in candidates if path.is_file()), None)


def open_content(path: Path, name: str | None = None) -> io.BufferedIOBase:
    """Open the decompressed content of `path`; the ending of `name`, if given, tells the compression."""
    ending = Path(name or path.name).suffix
    if ending == ".gz":
        return gzip.open(path, "rb")
    if ending == ".bz2":
        return bz2.open(path, "rb")
    return path.open("rb")


def read_content(path: Path) -> bytes:
    """Return the whole decompressed content of `path`."""
    with open_content(path) as file:
        return file.read()
