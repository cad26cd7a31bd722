"""The program of a worker process: it runs one cell after another until there are no more.

`python -P` runs this file by its path, so that nothing is imported from the current folder. The standard
input carries the search path, the patterns and then cells, the standard output answers, all of them
pickles. The process takes over the search path of the one that started it, and imports the package that
this file belongs to, even where the search path leads to another.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from hebbian_descent.engines.patterns import Patterns
    from hebbian_descent.storage.results import Record


def import_package() -> None:
    """Import the package that this file belongs to."""
    folder = Path(__file__).parents[2]
    spec = spec_from_file_location(folder.name, folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[folder.name] = package = module_from_spec(spec)
    spec.loader.exec_module(package)


def serve() -> None:
    """Receive the patterns, then cells; answer each with its record or the error that it raised.

    Whatever the functions of a cell print goes to the standard error.
    """
    from hebbian_descent.sweep.executors.sending import cloudpickle

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    received: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(sys.stdin.buffer, received), daemon=True).start()
    sys.stdin = open(os.devnull)  # noqa: SIM115 - it stays open until the process ends
    patterns: Patterns = received.get()
    while True:
        cloudpickle.dump(_answer(received.get(), patterns), answers)
        answers.flush()


def _receive(requests: BinaryIO, received: SimpleQueue[Any]) -> None:
    """Pass on what comes in; end the process, busy or not, when nothing more can come."""
    try:
        while True:
            received.put(pickle.load(requests))
    finally:
        os._exit(0)


def _answer(cell: bytes, patterns: Patterns) -> Record | Exception:
    from hebbian_descent.sweep.executors.sending import portable, run_packed

    try:
        return run_packed(cell, patterns)
    except BaseException as error:  # a cell that calls sys.exit must not end the process
        answer = portable(error)
        answer.add_note(f"In the worker process:\n{traceback.format_exc().rstrip()}")
        return answer


if __name__ == "__main__":
    # An interrupt from the keyboard reaches all processes; the one that started them ends the rest.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = pickle.load(sys.stdin.buffer)
    import_package()
    serve()
