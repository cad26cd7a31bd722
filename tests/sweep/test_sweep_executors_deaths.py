"""Processes that die or are interrupted lose nothing that is finished, and leave no process behind.

python test_sweep_executors_deaths.py FOLDER     run a sweep whose last cell takes for ever, on two workers
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rules_elsewhere import HARMLESS, deadly, deaths_in

from hebbian_descent import Factors, Rule
from hebbian_descent.rules import Activity
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep
from hebbian_descent.sweep.executors import Processes, WorkerLostError

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")]


ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def prepared(*rules: Any) -> Sweep:
    patterns = Patterns.of(np.eye(4), np.full((4, 2), 0.5))
    setting = LayerGrid.of(rules=rules, activations=["sigmoid", "linear"], learning_rates=0.1, trials=1)
    return Sweep(setting, patterns)


def eventually(condition: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cell_whose_process_is_killed_is_run_again(workers: int, tmp_path: Path) -> None:
    result = prepared(HARMLESS, deadly(1, tmp_path)).run(executor=Processes(workers))
    expected = prepared(HARMLESS, replace(HARMLESS, name="another")).run()
    assert deaths_in(tmp_path) == 1
    assert result.values["mae"].tobytes() == expected.values["mae"].tobytes()


def test_a_cell_that_kills_every_process_is_given_up_and_no_other_lost(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    sweep = prepared(HARMLESS, deadly(99, tmp_path))
    with pytest.raises(WorkerLostError, match=r"2 in a row .* SIGKILL.* memory.* resumes from") as caught:
        sweep.run(store=store, executor=Processes(1))
    assert caught.value.__notes__ == ["This happened in the cell: deadly, sigmoid."]
    assert len(store) == 2


def test_a_cell_may_not_end_its_process(tmp_path: Path) -> None:
    def leaving(activity: Activity) -> Factors:
        sys.exit("I am leaving")

    with pytest.raises(RuntimeError, match="SystemExit: I am leaving"):
        prepared(Rule("leaving", leaving)).run(executor=Processes(1))


def endless(folder: str) -> Rule:
    """A rule that tells its process by the name of a file, and never ends."""

    def factors(activity: Activity) -> Factors:
        Path(folder, f"process-{os.getpid()}").touch()
        while True:
            time.sleep(1)

    return Rule("endless", factors)


def run_for_ever(folder: str) -> None:
    sweep = prepared(HARMLESS, endless(folder))
    sweep.run(store=Store(Path(folder, "store")), executor=Processes(2))


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL], ids=lambda stop: stop.name)
def test_workers_end_with_the_process_that_started_them(stop: signal.Signals, tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, __file__, tmp_path],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=ENVIRONMENT,
    )
    store = Store(tmp_path / "store")
    with parent:
        assert eventually(lambda: len(list(tmp_path.glob("process-*"))) == 2 and len(store) == 2)
        workers = [int(path.name.partition("-")[2]) for path in tmp_path.glob("process-*")]
        if stop == signal.SIGINT:
            os.killpg(parent.pid, stop)  # as the keyboard does it: to the workers as well
        else:
            parent.kill()
        _, errors = parent.communicate(timeout=10)
    assert eventually(lambda: not any(map(is_alive, workers)), seconds=5)
    assert len(store) == 2
    assert store.damaged() == []
    if stop == signal.SIGINT:
        assert errors.count("Traceback") == 1
        assert errors.rstrip().endswith("KeyboardInterrupt")


UNFINISHED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import {Path(__file__).stem} as deaths

sweep = deaths.prepared(deaths.HARMLESS, deaths.endless(sys.argv[1]))
records = deaths.Processes(2).run(sweep.works, sweep.patterns)
print(next(records)[0])
"""


def test_a_program_may_end_before_its_sweep(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNFINISHED, tmp_path],
        capture_output=True,
        text=True,
        timeout=30,
        env=ENVIRONMENT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("0\n", "1\n")


if __name__ == "__main__":
    run_for_ever(sys.argv[1])
