"""Wherever cells are run, the results are the same bits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hebbian_descent import Activation, AutoRule, Factors, Rule
from hebbian_descent.rules import Activity, AutoActivity, Change
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep import AutoencoderGrid, LayerGrid, Patterns, Sweep
from hebbian_descent.sweep.cell import Work
from hebbian_descent.sweep.executors import Dask, Executor, InProcess, Processes, get_executor

SLOPE = 0.5
RATES: dict[str, Any] = {"learning_rates": (1.0, 0.01), "trials": 2}


def own_factors(activity: Activity) -> Factors:
    return Factors(
        activity.inputs - activity.offset, SLOPE * activity.error(activity.targets, activity.output)
    )


def own_change(activity: AutoActivity) -> Change:
    return Change(weights=activity.inputs.T @ (activity.units.hidden * -SLOPE))


def cubed_error(targets: Any, output: Any) -> Any:
    return (output - targets) ** 3


def own_activation(slope: float) -> Activation:
    return Activation("own", lambda a: np.tanh(slope * a), pull_back=lambda e, a, h: e * slope * (1 - h * h))


def all_patterns() -> Patterns:
    # Of sizes for which OpenBLAS rounds differently with two threads than with one.
    rng = np.random.default_rng(1)
    inputs = (rng.random((97, 123)) < 0.3).astype(float)
    return Patterns.of(inputs, inputs[::-1] * 0.8)


def all_works() -> list[Work]:
    """Cells for every engine, over the same patterns."""
    settings: list[LayerGrid | AutoencoderGrid] = [
        LayerGrid.of(
            rules=["hebbian_descent", "gradient_descent", "covariance"],
            activations=["sigmoid", "softmax", "explin"],
            weight_decays=(0.0, 0.01),
            centering="moving",
            **RATES,
        ),
        LayerGrid.of(
            rules=["hebbian_descent", "hebb"], activations="sigmoid", batch_size=32, epochs=2, **RATES
        ),
        LayerGrid.of(
            rules=[Rule("own", own_factors), "gradient_descent"],
            activations=[own_activation(1.5), "sigmoid"],
            error=cubed_error,
            batch_size=97,
            **RATES,
        ),
        AutoencoderGrid.of(
            rules=["hebbian_descent", AutoRule("own", own_change)],
            hidden_activations="sigmoid",
            output_activations="sigmoid",
            n_hidden=60,
            **RATES,
        ),
    ]
    works = [work for setting in settings for work in Sweep(setting, all_patterns()).works]
    engines = {work.choice.engine for work in works}
    assert engines == {"sequence", "stacked", "reference", "tied"}
    return works


def run(executor: Executor, works: list[Work]) -> list[Record]:
    records = dict(executor.run(works, all_patterns()))
    assert sorted(records) == list(range(len(works)))
    return [records[place] for place in range(len(works))]


@pytest.fixture(scope="module")
def expected() -> list[Record]:
    return run(InProcess(threads=1), all_works())


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "three threads": lambda: InProcess(threads=3),
    "one process": lambda: Processes(1),
    "two processes": lambda: Processes(2),
    "local cluster": lambda: Dask("local"),
}


@pytest.mark.parametrize("name", EXECUTORS)
def test_the_results_are_the_same_bits(name: str, expected: list[Record]) -> None:
    if "cluster" in name:
        pytest.importorskip("distributed")
    works = all_works()
    for work, record, other in zip(works, run(EXECUTORS[name](), works), expected, strict=True):
        assert record.values.keys() == other.values.keys()
        for measure, values in record.values.items():
            assert values.dtype == other.values[measure].dtype
            assert values.tobytes() == other.values[measure].tobytes(), (str(work.cell), measure)


@pytest.mark.parametrize("executor", [InProcess(), Processes(2), Dask("local")])
def test_no_cells_are_no_work(executor: Executor) -> None:
    assert list(executor.run([], all_patterns())) == []


def test_the_options_say_which_executor() -> None:
    assert isinstance(get_executor(), InProcess)
    assert isinstance(get_executor(workers=2), Processes)
    assert isinstance(get_executor(scheduler="tcp://host:8786"), Dask)
    with pytest.raises(ValueError, match="not both"):
        get_executor(workers=2, scheduler="local")


@pytest.mark.parametrize("workers", [0, -1])
def test_there_must_be_a_worker(workers: int) -> None:
    with pytest.raises(ValueError, match="The number of workers must be at least 1"):
        get_executor(workers=workers)


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed
    with pytest.raises(ImportError, match=r"hebbian-descent\[cluster\]"):
        run(Dask("local"), all_works())
