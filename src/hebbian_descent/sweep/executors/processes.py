"""Cells in several processes of this machine."""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from hebbian_descent.checks import as_count
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.cell import Work
from hebbian_descent.sweep.executors.base import Finished, naming
from hebbian_descent.sweep.executors.sending import packed
from hebbian_descent.sweep.executors.worker_process import WorkerProcess

Outcome = tuple[int, Record | Exception]
"""The place of a cell, with its record or its error."""


class Processes:
    """Several processes on this machine, each with one thread and one cell at a time.

    A cell whose process dies is run again in a new one; if that dies as well, the sweep ends with a
    `WorkerLostError`. No process outlives the one that started it.
    """

    def __init__(self, workers: int) -> None:
        self.workers = as_count(workers, "number of workers")

    def run(self, works: Sequence[Work], patterns: Patterns) -> Finished:
        """Yield the records as they are finished."""
        waiting: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        for item in enumerate(packed(works)):
            waiting.put(item)
        finished: SimpleQueue[Outcome] = SimpleQueue()
        processes = [WorkerProcess(patterns) for _ in range(min(self.workers, len(works)))]
        # Threads that only wait for their process; as daemons, so that they never keep a program from ending.
        threads = [
            Thread(target=_keep_busy, args=(process, waiting, finished), daemon=True) for process in processes
        ]

        def end() -> None:
            for process in processes:
                process.kill()
            for thread in threads:
                thread.join()

        for thread in threads:
            thread.start()
        atexit.register(end)  # a program may end before this generator does
        try:
            for place, outcome in _outcomes(finished, len(works)):
                with naming(works[place].cell):
                    if isinstance(outcome, Exception):
                        raise outcome
                yield place, outcome
        finally:
            end()
            atexit.unregister(end)


def _keep_busy(
    process: WorkerProcess, waiting: SimpleQueue[tuple[int, bytes]], finished: SimpleQueue[Outcome]
) -> None:
    """Give a process one cell after another, until there are no more or one cannot be run."""
    place = -1
    try:
        while True:
            place, packed_work = waiting.get_nowait()
            finished.put((place, process.run(packed_work)))
    except Empty:
        pass
    except Exception as error:
        finished.put((place, error))
    finally:
        process.close()


def _outcomes(finished: SimpleQueue[Outcome], n_cells: int) -> Iterator[Outcome]:
    """Yield outcomes as they come, a record before an error that is there at the same time."""
    n_seen = 0
    while n_seen < n_cells:
        batch = [finished.get()]
        while not finished.empty():
            batch.append(finished.get())
        n_seen += len(batch)
        yield from sorted(batch, key=lambda outcome: isinstance(outcome[1], Exception))
