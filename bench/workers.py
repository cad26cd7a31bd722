"""The speed-up from a second worker process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from timing import interleaved

from hebbian_descent.sweep import SweepResult, sweep
from hebbian_descent.sweep.grids import LEARNING_RATES, WEIGHT_DECAYS

NAME = "workers"
MINIMUM = 1.7

RULES = ("hebbian_descent", "gradient_descent")
ACTIVATIONS = ("sigmoid", "linear", "rectifier", "explin")


@dataclass(frozen=True)
class Workers:
    """The seconds of the same sweep with one and with two worker processes, their start included."""

    n_cells: int
    one: float
    two: float

    @property
    def ratio(self) -> float:
        """How many times faster two are."""
        return self.one / self.two

    def as_dict(self) -> dict[str, Any]:
        """Return everything measured, for a file."""
        return {
            "work": NAME,
            "cells": self.n_cells,
            "seconds_with_one": self.one,
            "seconds_with_two": self.two,
            "ratio": self.ratio,
            "minimum": MINIMUM,
        }


def measure_workers(*, repeats: int, trials: int) -> Workers:
    """Time a sweep of many cells, 100 random patterns, 200 → 200."""
    rng = np.random.default_rng(0)
    inputs, targets = rng.integers(0, 2, size=(2, 100, 200)).astype(float)

    def run(n_workers: int | None, n_rates: int, n_trials: int) -> SweepResult:
        return sweep(
            inputs,
            targets,
            rules=RULES,
            activations=ACTIVATIONS,
            learning_rates=LEARNING_RATES[-n_rates:],
            weight_decays=WEIGHT_DECAYS[1:],
            trials=n_trials,
            workers=n_workers,
        )

    run(None, 1, 1)  # so that neither has to wait for what is read from disk once
    n_cells = len(RULES) * len(ACTIVATIONS) * len(WEIGHT_DECAYS[1:])
    n_rates = len(LEARNING_RATES)
    seconds = interleaved(
        {str(n): partial(run, n, n_rates, trials) for n in (1, 2)},
        repeats,
    )
    return Workers(n_cells, seconds["1"], seconds["2"])
