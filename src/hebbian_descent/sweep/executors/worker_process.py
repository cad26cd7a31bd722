"""One process of the local pool, seen from the process that started it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.executors.base import WorkerLostError
from hebbian_descent.sweep.executors.threads import ONE_THREAD

ATTEMPTS = 2
"""How many processes may die of the same cell before it is given up."""

# A program of its own, and not a process of `multiprocessing`, which would run the user's script once more in
# each worker.
PROGRAM = Path(__file__).with_name("worker_program.py")


class WorkerProcess:
    """A process that runs one cell at a time, started when it is first needed and again should it die.

    It belongs to one thread; only `kill` may be called from another.
    """

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False
        self._starting_or_killing = Lock()

    def run(self, packed: bytes) -> Record | Exception:
        """Return the record of a cell, or the error that it raised; should the process die, try another."""
        status: int | None = None
        for _ in range(ATTEMPTS):
            requests = [packed] if self._process else [sys.path, self._patterns, packed]
            process = self._process or self._start()
            try:
                return _answer(process, requests)
            except (EOFError, OSError, pickle.UnpicklingError):  # there is nobody at the other end
                status = self.close()
        raise WorkerLostError(
            f"A process must live until its cell is finished. Got {ATTEMPTS} in a row that did not, the last "
            f"one ended by {_in_words(status)}. Often memory has run out: use fewer workers or a smaller "
            "memory_budget. With a store, the same sweep goes on from the cells that are finished."
        )

    def close(self) -> int | None:
        """End the process and return its exit status, or None if there is no process."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(OSError), process:  # which closes the pipes, and so ends the process, and waits
            pass
        return process.returncode

    def kill(self) -> None:
        """End the process for good, whatever it is doing."""
        with self._starting_or_killing:
            self._is_killed = True
            process = self._process  # which the other thread may be about to close
        if process is not None:
            process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._starting_or_killing:
            if self._is_killed:
                raise WorkerLostError("A worker that was killed must not be asked again.")
            self._process = subprocess.Popen(
                [sys.executable, "-I" if sys.flags.isolated else "-P", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD},
            )
        return self._process


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
