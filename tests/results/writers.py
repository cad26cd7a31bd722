"""Programs for processes that write into a store while something happens to them.

python writers.py killed FOLDER N_KILLS     kill a writer at random moments, and check the store each time
python writers.py crowd FOLDER WRITER       write the cells that all writers share, and some of one's own
python writers.py slow FOLDER               write one cell, and wait for a line of input in the middle of it
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time

import numpy as np

from hebbian_descent.results import Record, Store

N_CELLS = 4


def record(cell: int | str, attempt: int = 0) -> Record:
    """A cell whose numbers tell which attempt wrote them, all of them the same."""
    return Record(
        specification={"cell": cell},
        axes={"rate": np.arange(20), "pattern": np.arange(50)},
        values={"attempt": np.full((20, 50), attempt)},
        provenance={"machine": "left out to be quick"},
    )


def write_until_killed(store: Store, report: int, first_attempt: int) -> None:
    """Write the same few cells over and over, and report each that is finished."""
    for attempt in itertools.count(first_attempt):
        cell = attempt % N_CELLS
        store.write(record(cell, attempt))
        os.write(report, f"{cell} {attempt}\n".encode())


def killed(folder: str, n_kills: int) -> None:
    """Kill a writer again and again; what it finished must be there, or something later in its place."""
    store = Store(folder)
    store.write(record("first"))
    n_abandoned = n_finished = 0
    for n_killed in range(n_kills):
        incoming, report = os.pipe()
        writer = os.fork()
        if writer == 0:
            os.close(incoming)
            write_until_killed(Store(folder), report, first_attempt=n_killed * 10_000)
        os.close(report)
        time.sleep(random.uniform(0.0, 0.08))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        with os.fdopen(incoming) as lines:
            finished = dict(tuple(map(int, line.split())) for line in lines)
        assert not store.damaged()
        for cell, attempt in finished.items():
            found = store.read(store.key({"cell": cell})).values["attempt"]
            assert np.unique(found).size == 1
            assert found[0, 0] >= attempt
        n_finished += len(finished)
        n_abandoned += len([name for name in os.listdir(folder) if name.startswith(".partial-")])
    store.prepare()
    assert not [name for name in os.listdir(folder) if name.startswith(".partial-")]
    assert len(store) <= N_CELLS + 1
    sys.stdout.write(f"{n_finished} {n_abandoned}\n")


def crowd(folder: str, writer: str) -> None:
    """Write shared and own cells and read them back, clearing away what the dead left each time."""
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
    if name == "killed":
        killed(folder, int(rest[0]))
    elif name == "crowd":
        crowd(folder, rest[0])
    else:
        slow(folder)
