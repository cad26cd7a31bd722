"""A file that is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex


def write_atomically(path: Path, content: bytes, partial: Path | None = None) -> None:
    """Put content under a name in one step that lasts; a reader sees the old file or the new one.

    Until then it stands in a hidden file beside it, or in `partial`, which must not exist.
    """
    partial = partial or path.with_name(f".{path.name[:100]}.{token_hex(8)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlast a power failure."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
