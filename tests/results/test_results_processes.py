"""Writers that are killed, and writers that meet: nothing finished is lost, nothing half-written is read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from hebbian_descent.storage.results import Store

WRITERS = Path(__file__).with_name("writers.py")
Writer: TypeAlias = "subprocess.Popen[str]"
Start: TypeAlias = "Callable[..., Writer]"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture
def start() -> Iterator[Start]:
    """A starter of writers, none of which outlives the test."""
    started: list[Writer] = []

    def start_writer(*arguments: object) -> Writer:
        command = [sys.executable, str(WRITERS), *map(str, arguments)]
        pipe = subprocess.PIPE
        writer = subprocess.Popen(command, env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        started.append(writer)
        return writer

    yield start_writer
    for writer in started:
        writer.kill()
        writer.communicate()


def finish(process: Writer, line: str = "") -> str:
    output, errors = process.communicate(line, timeout=120)
    assert process.returncode == 0, errors
    return output


def partials(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".hebbian-descent-")]


@pytest.mark.long
def test_processes_that_write_the_same_and_different_cells_at_once(tmp_path: Path, start: Start) -> None:
    folder = tmp_path / "made by whoever comes first"
    for process in [start("crowd", folder, writer) for writer in range(3)]:
        finish(process)
    store = Store(folder)
    assert len(store) == 2 + 3 * 15
    assert store.damaged() == []
    assert partials(folder) == []
    assert np.unique(store.read(store.key({"cell": "shared"})).values["attempt"]).tolist() == [14]


def test_what_a_dead_writer_left_is_removed_and_what_a_live_one_writes_is_not(
    tmp_path: Path, make_record: Any, start: Start
) -> None:
    writer = start("slow", tmp_path)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n"
    alive = partials(tmp_path)
    (tmp_path / f".hebbian-descent-{'0' * 16}.partial").write_text("left by the dead")
    Store(tmp_path).write(make_record())
    assert partials(tmp_path) == alive != []
    key = finish(writer, "go on\n").split()[-1]
    assert Store(tmp_path).has(key)
    Store(tmp_path).prepare()
    assert partials(tmp_path) == []


def test_a_writer_killed_in_the_middle_leaves_no_cell(tmp_path: Path, start: Start) -> None:
    writer = start("slow", tmp_path)
    assert writer.stdout is not None
    writer.stdout.readline()
    assert len(partials(tmp_path)) == 1
    writer.kill()
    writer.wait()
    store = Store(tmp_path)
    assert store.keys() == store.damaged() == []
    store.prepare()
    assert partials(tmp_path) == []
