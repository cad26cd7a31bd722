"""Programs for processes that write into a store while something happens to them.

python writers.py crowd FOLDER WRITER       write the cells that all writers share, and some of its own
python writers.py slow FOLDER               write one cell, and wait for a line of input in the middle of it
"""

from __future__ import annotations

import os
import sys

import numpy as np

from hebbian_descent.storage.results import Record, Store


def record(cell: int | str, attempt: int = 0) -> Record:
    """A cell whose numbers tell which attempt wrote them, all of them the same."""
    return Record(
        specification={"cell": cell},
        axes={"rate": np.arange(20), "pattern": np.arange(50)},
        values={"attempt": np.full((20, 50), attempt)},
        provenance={"machine": "left out to be quick"},
    )


def crowd(folder: str, writer: str) -> None:
    """Write shared and own cells and read them back, each time removing what killed writers left."""
    for attempt in range(15):
        store = Store(folder)
        for cell in ("shared", "shared too", f"own of {writer}, {attempt}"):
            store.write(record(cell, attempt))
            assert np.unique(store.read(store.key({"cell": cell})).values["attempt"]).size == 1


def slow(folder: str) -> None:
    """Stop between the hidden file and its final name, until a line comes in."""
    store = Store(folder)
    store.prepare()
    sync = os.fsync

    def wait_then_sync(descriptor: int) -> None:
        os.fsync = sync
        sys.stdout.write("writing\n")
        sys.stdout.flush()
        sys.stdin.readline()
        sync(descriptor)

    os.fsync = wait_then_sync
    sys.stdout.write(store.write(record("slow")) + "\n")


if __name__ == "__main__":
    name, folder, *rest = sys.argv[1:]
    if name == "crowd":
        crowd(folder, rest[0])
    else:
        slow(folder)
