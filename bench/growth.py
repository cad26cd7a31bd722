"""The cost of a run when there are few of them, and when there are thousands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from timing import interleaved

from hebbian_descent.sweep import SweepResult, sweep
from hebbian_descent.sweep.grids import LEARNING_RATES, WEIGHT_DECAYS

NAME = "growth"
TRIALS = 10

GRIDS = ((1, 1), (10, 1), (25, 4), (35, 20))
"""Numbers of learning rates and of weight decays: 10, 100, 1,000 and 7,000 runs with ten trials each."""


@dataclass(frozen=True)
class Growth:
    """The milliseconds per run, by the number of runs."""

    milliseconds: dict[int, float]

    def as_dict(self) -> dict[str, Any]:
        """Return everything measured, for a file."""
        return {"work": NAME, "milliseconds_per_run": self.milliseconds}


def measure_growth(*, repeats: int, most_runs: int) -> Growth:
    """Time sweeps of 100 random patterns, 200 → 200 sigmoid, of growing size."""
    rng = np.random.default_rng(0)
    inputs, targets = rng.integers(0, 2, size=(2, 100, 200)).astype(float)

    def run(n_rates: int, n_decays: int) -> SweepResult:
        return sweep(
            inputs,
            targets,
            rules="hebbian_descent",
            activations="sigmoid",
            learning_rates=LEARNING_RATES[-n_rates:],
            weight_decays=WEIGHT_DECAYS[-n_decays:],
            trials=TRIALS,
        )

    sizes = {n_rates * n_decays * TRIALS: (n_rates, n_decays) for n_rates, n_decays in GRIDS}
    calls = {str(n): partial(run, *grid) for n, grid in sizes.items() if n <= most_runs}
    calls["10"]()
    seconds = interleaved(calls, repeats)
    return Growth({int(n): value / int(n) * 1e3 for n, value in seconds.items()})
