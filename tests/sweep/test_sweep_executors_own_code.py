"""Custom functions reach the workers, wherever they are defined, and their errors come back."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbian_descent
from hebbian_descent import Activation, Factors, Rule
from hebbian_descent.checks import Array
from hebbian_descent.rules import Activity
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep, SweepResult
from hebbian_descent.sweep.executors import Dask, Executor, InProcess, Processes

scale = 1.0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A cluster of one worker that several tests use."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    with (
        pytest.importorskip("dask").config.set({"temporary-directory": str(folder)}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as running,
    ):
        yield Dask(running.scheduler_address)


@pytest.fixture(params=["processes", "cluster"])
def elsewhere(request: pytest.FixtureRequest) -> Executor:
    """Every executor that runs cells in another process."""
    executor: Executor = Processes(1) if request.param == "processes" else request.getfixturevalue("cluster")
    return executor


def scaled(activity: Activity) -> Factors:
    return Factors(activity.inputs, scale * (activity.output - activity.targets))


def prepared(*rules: Any, activations: Any = "sigmoid") -> Sweep:
    patterns = Patterns.of(np.eye(4), np.full((4, 2), 0.5))
    setting = LayerGrid.of(rules=rules, activations=activations, learning_rates=(0.1, 0.2), trials=1)
    return Sweep(setting, patterns)


def assert_same(result: SweepResult, other: SweepResult) -> None:
    assert result.values["mae"].tobytes() == other.values["mae"].tobytes()


def test_values_that_a_function_uses_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = prepared(Rule("scaled", scaled))
    before = sweep.run()
    monkeypatch.setattr(sys.modules[__name__], "scale", 3.0)
    result = sweep.run(executor=Processes(1))
    assert_same(result, sweep.run())
    assert (result.values["mae"] != before.values["mae"]).any()


MODULE = """
import numpy as np
steepness = 2.0

def steep(a):
    return np.tanh(steepness * a)
"""


def test_a_module_need_not_be_where_the_worker_is(
    elsewhere: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "module_of_mine.py"
    path.write_text(MODULE)
    spec = importlib.util.spec_from_file_location("module_of_mine", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "module_of_mine", module)
    path.unlink()
    sweep = prepared("hebbian_descent", activations=Activation("steep", module.steep))
    assert_same(sweep.run(executor=elsewhere), sweep.run())


SCRIPT = """
import numpy as np
from hebbian_descent import Activation, Factors, Rule
from hebbian_descent.sweep import sweep

gain = 2.0

def own(activity):
    print("Hello from a cell")
    return Factors(activity.inputs - activity.offset, gain * (activity.output - activity.targets))

def run(**options):
    squashed = Activation("squashed", lambda a: np.tanh(gain * a))
    result = sweep(np.eye(3), np.ones((3, 2)), rules=[Rule("own", own), "hebb"], activations=squashed,
                   learning_rates=(1, 0.1), trials=1, **options)
    return result.values["mae"]

assert run(workers=2).tobytes() == run().tobytes()
"""


def test_a_script_needs_no_guard_and_may_print(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Hello from a cell") == done.stderr.count("Hello from a cell") == 6


EDITED = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from hebbian_descent.sweep import sweep
del sys.path[0]

def run(**options):
    return sweep(np.eye(3), np.ones((3, 2)), rules="hebb", activations="linear", learning_rates=1, trials=1,
                 engine="reference", **options).values["mae"]

import hebbian_descent
assert hebbian_descent.__file__.startswith(sys.argv[1])
assert run(workers=1).tobytes() == run().tobytes()
"""


def test_workers_run_the_package_that_this_process_has_imported(tmp_path: Path) -> None:
    package = Path(hebbian_descent.__file__).parent
    shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    measures = tmp_path / package.name / "measures.py"
    code = measures.read_text(encoding="utf-8")
    assert code.count("np.abs(") == 1
    measures.write_text(code.replace("np.abs(", "2 * np.abs("), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", EDITED, tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_sent_is_refused_before_anything_is_run() -> None:
    lock = threading.Lock()

    def locked(preactivation: Array) -> Array:
        with lock:
            return np.tanh(preactivation)

    sweep = prepared("hebb", activations=Activation("locked", locked))
    with pytest.raises(
        TypeError, match=r"can be sent to another process\. Got .* hebb, locked that cannot: .*lock"
    ):
        sweep.run(executor=Processes(1))


class AwkwardError(Exception):
    """An exception that cannot be put together again from its arguments."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def harmless(activity: Activity) -> Factors:
    return Factors(activity.inputs, activity.output - activity.targets)


HARMLESS = Rule("harmless", harmless)


def dividing(activity: Activity) -> Factors:
    raise ZeroDivisionError("divided by nothing")


def awkward(activity: Activity) -> Factors:
    raise AwkwardError("this", "that")


def test_an_error_names_its_cell_and_loses_no_other(elsewhere: Executor, tmp_path: Path) -> None:
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    for store, executor in ((here, InProcess()), (there, elsewhere)):
        with pytest.raises(ZeroDivisionError, match="divided by nothing") as caught:
            prepared(HARMLESS, Rule("dividing", dividing)).run(store=store, executor=executor)
        assert "This happened in the cell: dividing, sigmoid." in caught.value.__notes__
    assert here.keys() == there.keys()
    assert len(there) == 1


def test_an_error_that_cannot_travel_comes_as_its_text(elsewhere: Executor) -> None:
    with pytest.raises(RuntimeError, match="AwkwardError: this and that") as caught:
        prepared(Rule("awkward", awkward)).run(executor=elsewhere)
    assert "This happened in the cell: awkward, sigmoid." in caught.value.__notes__


def test_an_error_tells_where_in_the_worker_it_was_raised() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        prepared(Rule("dividing", dividing)).run(executor=Processes(1))
    assert f'File "{__file__}"' in caught.value.__notes__[0]
