"""What a process of the local pool does: it answers one cell after another until there are no more.

The standard input carries cells and the standard output answers, both as pickles one after another. What the
functions of a cell print goes to the standard error.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.executors.by_value import cloudpickle
from hebbian_descent.sweep.executors.sending import portable, run_packed


def serve() -> None:
    """Receive the patterns, then cells; answer each with its record or the error that it raised."""
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
    """Pass on what comes in; end the process when nothing can come any more, be it busy or not."""
    try:
        while True:
            received.put(pickle.load(requests))
    finally:
        os._exit(0)


def _answer(cell: bytes, patterns: Patterns) -> Record | Exception:
    try:
        return run_packed(cell, patterns)
    except BaseException as error:  # a cell that calls sys.exit must not take the process along
        answer = portable(error)
        answer.add_note(f"In the worker process:\n{traceback.format_exc().rstrip()}")
        return answer
