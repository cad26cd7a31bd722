"""Dask schedulers and workers as separate processes, and a small sweep to run on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hebbian_descent import Rule
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(sys.path),
    "OPENBLAS_NUM_THREADS": "3",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    "DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING_INTERVAL": "100ms",
}
WITHOUT_PACKAGE = "import sys; sys.modules['hebbian_descent'] = None"
SCHEDULER = f"{WITHOUT_PACKAGE}; from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"


@contextmanager
def running(program: str, *arguments: object, folder: Path, **variables: str) -> Iterator[int]:
    """Run a program of Python as long as it is needed; Dask keeps its files in the folder."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**ENVIRONMENT, "DASK_TEMPORARY_DIRECTORY": str(folder), **variables}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.terminate()


@contextmanager
def running_scheduler(folder: Path, *options: object) -> Iterator[tuple[str, int]]:
    """Run a scheduler; return its address and its process."""
    file = folder / "address.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file, *options)
    with running(SCHEDULER, *options, folder=folder) as process:
        eventually(lambda: file.exists() and file.read_text().endswith("}"))
        yield json.loads(file.read_text())["address"], process


def eventually(condition: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def prepared(rule: Rule) -> Sweep:
    patterns = Patterns.of(np.eye(4), np.full((4, 2), 0.5))
    activations = ["sigmoid", "linear", "explin", "softsign"]
    return Sweep(LayerGrid.of(rules=rule, activations=activations, learning_rates=0.1, trials=1), patterns)
