"""A file that is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex


def write_atomically(path: Path, content: bytes) -> None:
    """Put content under a name in one step that lasts; a reader sees the old file or the new one."""
    partial = path.with_name(f".{path.name[:100]}.{token_hex(8)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # makes the new name outlast a power failure
    finally:
        os.close(descriptor)
