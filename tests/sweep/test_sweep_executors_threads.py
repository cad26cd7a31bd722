"""A worker uses one processor, whichever libraries a cell calls."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from hebbian_descent import Activation
from hebbian_descent.checks import Array
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep
from hebbian_descent.sweep.executors import Executor, InProcess, Processes
from hebbian_descent.thread_pools import ONE_THREAD, usable_processors


def most_threads(preactivation: Array) -> Array:
    """An activation that tells how many threads libraries use, or would use if they were loaded now."""
    loaded = [pool["num_threads"] for pool in threadpool_info()]
    loaded_later = [int(os.environ.get(name, "1")) for name in ONE_THREAD]
    return np.full_like(preactivation, max(*loaded, *loaded_later))


def records(executor: Executor) -> list[Record]:
    patterns = Patterns.of(np.eye(3), np.zeros((3, 2)))
    setting = LayerGrid.of(
        rules=["hebbian_descent", "hebb"],
        activations=[Activation("most_threads", most_threads), "sigmoid"],
        learning_rates=0.1,
        trials=1,
    )
    return [record for _, record in executor.run(Sweep(setting, patterns).works, patterns)]


def test_a_process_has_one_thread_of_every_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "3")
    found = records(Processes(2))
    assert len(found) == 4
    for record in found:
        assert {pool["num_threads"] for pool in record.provenance["thread_pools"]} == {1}
        assert record.notes["threads"] == 1
        if record.notes["engine"] == "reference":
            assert np.unique(record.values["mae"]).tolist() == [1.0]


def test_in_this_process_the_libraries_get_their_threads_back() -> None:
    with threadpool_limits(2):
        before = [pool["num_threads"] for pool in threadpool_info()]
        for record in records(InProcess()):
            assert {pool["num_threads"] for pool in record.provenance["thread_pools"]} == {1}
            assert record.notes["threads"] == usable_processors()
        assert [pool["num_threads"] for pool in threadpool_info()][: len(before)] == before


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason=f"{sys.platform} does not bind processes")
def test_only_processors_that_may_be_used_are_counted() -> None:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert usable_processors() == 1
    finally:
        os.sched_setaffinity(0, allowed)
