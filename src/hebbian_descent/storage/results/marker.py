"""The file that makes a folder a store, and says in which format its cells are."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from hebbian_descent.atomic import sync_folder
from hebbian_descent.storage.results.errors import StoreError
from hebbian_descent.storage.results.files import is_own, read_regular, write_whole

FORMAT = 1
MARKER_NAME = "_store.json"  # readers of a folder of Parquet files pass over names with an underscore


def check_folder(folder: Path) -> None:
    """Refuse a folder that is neither a store of a known format nor free to become one."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise StoreError(f"A store must be a folder. Got {folder}, a file; choose another name.")
    marker = folder / MARKER_NAME
    with suppress(FileNotFoundError):
        check_format(_read_format(marker), str(folder))
        return
    foreign = sorted(entry.name for entry in folder.iterdir() if not is_own(entry.name))
    # Another process may have made the store between the two looks.
    if foreign and not marker.exists():
        raise StoreError(
            f"A store must be a new or empty folder, or hold a {MARKER_NAME}. "
            f"Got {folder}, which holds {foreign[0]!r}; choose another folder."
        )


def establish(folder: Path) -> None:
    """Make a new or empty folder a store; a store stays as it is."""
    check_folder(folder)
    if (folder / MARKER_NAME).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sync_folder(folder.parent)
    content = {"format": FORMAT, "content": "results of hebbian-descent, one Parquet file a cell"}
    write_whole(folder / MARKER_NAME, json.dumps(content, indent=2).encode() + b"\n")


def check_format(found: object, where: str) -> None:
    """Refuse a format that this version does not know."""
    if found != FORMAT:
        raise StoreError(
            f"A store must have format {FORMAT}, which this version of hebbian-descent reads and writes. "
            f"Got format {found!r} in {where}; try pip install --upgrade hebbian-descent, or another folder."
        )


def _read_format(marker: Path) -> object:
    try:
        return json.loads(read_regular(marker))["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StoreError(
            f"The file {marker} must say in which format the store is. Got something else; "
            "restore it from a copy, or choose another folder."
        ) from None
