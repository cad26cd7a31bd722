"""A sweep small enough to be disturbed thousands of times, and what it finds undisturbed."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np

from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep, SweepResult


@cache
def small_sweep() -> Sweep:
    """Return a sweep of eight cells."""
    rng = np.random.default_rng(0)
    setting = LayerGrid.of(
        rules=["hebbian_descent", "hebb"],
        activations=["sigmoid", "linear", "softsign", "explin"],
        learning_rates=(0.5, 0.05),
        trials=2,
    )
    return Sweep(setting, Patterns.of(rng.random((8, 4)), rng.random((8, 3))), engine="reference")


@cache
def undisturbed() -> SweepResult:
    """Return what the sweep finds without a store."""
    return small_sweep().run()


def check_resumed(folder: Path) -> None:
    """Resume the sweep; the result must have the same bits, and the folder must hold only its cells."""
    store, expected = Store(folder), undisturbed()
    kept = store.keys()
    contents = {key: (folder / f"{key}.parquet").read_bytes() for key in kept}
    result = small_sweep().run(store=store)
    for name, values in expected.values.items():
        assert result.values[name].tobytes() == values.tobytes(), name
    assert np.array_equal(result.diverged_at, expected.diverged_at)
    for key in kept:
        assert (folder / f"{key}.parquet").read_bytes() == contents[key], "a finished cell was computed again"
    assert len(store) == len(small_sweep().works)
    assert store.damaged() == []
    assert not partials(folder), "what was left behind must be removed"


def partials(folder: Path) -> list[str]:
    """Return the names of unfinished files."""
    return [name for name in os.listdir(folder) if name.startswith(".hebbian-descent-")]
