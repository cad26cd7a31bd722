"""Cells in several processes of this machine.

The processes are separate programs (`worker.py`) that communicate through their standard input and output.
`multiprocessing` would run the user's script again in each worker. joblib's loky fails every running cell
when one process dies, without saying which cell killed it; its workers outlive a parent that was killed,
and its resource tracker imports modules from the current folder.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from hebbian_descent.checks import as_count
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.executors.base import Finished, Runnable, WorkerLostError, naming
from hebbian_descent.sweep.executors.sending import packed
from hebbian_descent.thread_pools import ONE_THREAD

ATTEMPTS = 2
"""How many processes may die on the same cell before the sweep gives up."""
PROGRAM = Path(__file__).with_name("worker.py")

Outcome = tuple[int, Record | Exception]
"""The position of a cell, with its record or its error."""


class Processes:
    """Several processes on this machine, each with one thread and one cell at a time.

    A cell whose process dies is run again in a new one; if that dies as well, the sweep ends with a
    `WorkerLostError`. No process outlives the one that started it.
    """

    def __init__(self, workers: int) -> None:
        self.workers = as_count(workers, "number of workers")

    def run(self, works: Sequence[Runnable], patterns: Any) -> Finished:
        """Yield the records as they are finished."""
        waiting: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        for item in enumerate(packed(works)):
            waiting.put(item)
        finished: SimpleQueue[Outcome] = SimpleQueue()
        processes = [_WorkerProcess(patterns) for _ in range(min(self.workers, len(works)))]
        # These threads only wait for their process; being daemons, they never keep a program from ending.
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


class _WorkerProcess:
    """A process that runs one cell at a time, started when it is first needed and again if it dies.

    It belongs to one thread; only `kill` may be called from another.
    """

    def __init__(self, patterns: Any) -> None:
        self._patterns = patterns
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False
        self._starting_or_killing = Lock()

    def run(self, packed: bytes) -> Record | Exception:
        """Return the record of a cell, or the error that it raised; if the process dies, try another."""
        status: int | None = None
        for _ in range(ATTEMPTS):
            requests = [packed] if self._process else [sys.path, self._patterns, packed]
            process = self._process or self._start()
            try:
                return _answer(process, requests)
            except (EOFError, OSError, pickle.UnpicklingError):  # the process is gone
                status = self.close()
        raise WorkerLostError(
            f"A process must live until its cell is finished. Got {ATTEMPTS} in a row that did not, the last "
            f"one ended by {_in_words(status)}. Often memory has run out: use fewer workers or a smaller "
            "memory_budget. With a store, the same sweep resumes from the cells that are finished."
        )

    def close(self) -> int | None:
        """End the process and return its exit status, or None if there is no process."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(OSError), process:  # closes the pipes, which ends the process, and waits
            pass
        return process.returncode

    def kill(self) -> None:
        """End the process permanently, whatever it is doing."""
        with self._starting_or_killing:
            self._is_killed = True
            process = self._process  # the other thread may be about to close it
        if process is not None:
            process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._starting_or_killing:
            if self._is_killed:
                raise WorkerLostError("A worker that was killed must not be used again.")
            self._process = subprocess.Popen(
                [sys.executable, "-I" if sys.flags.isolated else "-P", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD},
            )
        return self._process


def _keep_busy(
    process: _WorkerProcess, waiting: SimpleQueue[tuple[int, bytes]], finished: SimpleQueue[Outcome]
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
    """Yield outcomes as they come; of those that arrive together, records before errors."""
    n_seen = 0
    while n_seen < n_cells:
        batch = [finished.get()]
        while not finished.empty():
            batch.append(finished.get())
        n_seen += len(batch)
        yield from sorted(batch, key=lambda outcome: isinstance(outcome[1], Exception))


def _answer(process: subprocess.Popen[bytes], requests: Sequence[object]) -> Record | Exception:
    """Send the requests, of which only the last is answered."""
    assert process.stdin is not None
    assert process.stdout is not None
    for request in requests:
        pickle.dump(request, process.stdin)
    process.stdin.flush()
    answer: Record | Exception = pickle.load(process.stdout)
    return answer


def _in_words(status: int | None) -> str:
    if status is not None and status < 0:
        return f"the signal {signal.Signals(-status).name}"
    return f"itself with exit status {status}"
