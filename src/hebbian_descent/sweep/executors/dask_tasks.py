"""What a worker of a Dask cluster is asked to do."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from hebbian_descent import __version__
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.source_digest import source_digest
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.executors.sending import portable, run_packed
from hebbian_descent.sweep.executors.threads import pin_to_one_thread


def unpacked_patterns(data: bytes) -> Patterns:
    """Return the patterns, which then stay with the worker."""
    patterns: Patterns = pickle.loads(data)
    return patterns


def run_cell(cell: bytes, patterns: Patterns) -> Record:
    """Run a packed cell on one thread."""
    pin_to_one_thread()
    try:
        return run_packed(cell, patterns)
    except BaseException as error:
        if (substitute := portable(error)) is error:
            raise
        raise substitute from None


def caller() -> Callable[..., Any]:
    """Return a function that calls one of this file by name, on a worker that has the same package.

    Being a function within a function it travels as code: the scheduler and a worker without the package can
    load it, and a worker can say what it lacks.
    """
    needed, file = f"version {__version__} with code {source_digest()[:12]}", __name__

    def call(name: str, *arguments: Any) -> Any:
        from importlib import import_module

        from distributed import get_worker

        found = "none"
        try:
            found = f"version {import_module('hebbian_descent').__version__}"
            digest = import_module("hebbian_descent.source_digest").source_digest()
            found = f"{found} with code {digest[:12]}"
        except ModuleNotFoundError:  # the package, or a file that earlier versions do not have
            pass
        if found != needed:
            raise RuntimeError(
                f"All workers of the cluster must have hebbian-descent in {needed}, as this client has it. "
                f"Got {found} on the worker {get_worker().address}: install the same files on both sides, "
                "and start the worker again."
            )
        return getattr(import_module(file), name)(*arguments)

    return call
