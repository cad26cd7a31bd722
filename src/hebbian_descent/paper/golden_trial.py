"""One small trial that can be reproduced to the last digit anywhere: random to random patterns.

It is the example setting of the authors' own code: 100 pairs of binary patterns with 200 units, sigmoid
outputs, offsets at the data mean, one online pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.learning.run import DivergenceError, train
from hebbian_descent.network import Layer

LEARNING_RATE = 0.2


@dataclass(frozen=True)
class GoldenTrial:
    """The patterns and the initial weights of the trial."""

    inputs: Array
    targets: Array
    initial_weights: Array

    @classmethod
    def create(cls) -> GoldenTrial:
        """Draw the trial from NumPy's legacy generator, whose stream never changes."""
        random = np.random.RandomState(42)  # the figures to match were made with it
        inputs = random.randint(0, 2, (100, 200)).astype(np.float64)
        targets = random.randint(0, 2, (100, 200)).astype(np.float64)
        bound = np.sqrt(6 / 400)
        return cls(inputs, targets, (2 * random.rand(200, 200) - 1) * bound)

    @property
    def baseline(self) -> float:
        """The error of always answering with the mean target."""
        return float(np.abs(self.targets - self.targets.mean(axis=0)).mean())

    def errors(self, rule: str, learning_rate: float = LEARNING_RATE, weight_decay: float = 0.0) -> Array:
        """Return the mean absolute error of each pattern after one online pass over all of them."""
        layer = Layer.from_weights(
            self.initial_weights, activation="sigmoid", offset=self.inputs.mean(axis=0)
        )
        train(
            layer,
            self.inputs,
            self.targets,
            rule=rule,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
        )
        errors: Array = np.abs(layer.output(self.inputs) - self.targets).mean(axis=1)
        return errors

    def best(self, rule: str, learning_rates: Iterable[float]) -> BestRun:
        """Return the run with the smallest error over the last 20 patterns; diverged runs are never best."""
        runs = [self._run(rule, rate) for rate in learning_rates]
        return min(runs, key=lambda run: run.last20)

    def _run(self, rule: str, learning_rate: float) -> BestRun:
        try:
            return BestRun(rule, learning_rate, self.errors(rule, learning_rate))
        except DivergenceError:
            return BestRun(rule, learning_rate, np.full(len(self.inputs), np.inf))


class BestRun(NamedTuple):
    """The error of each pattern at the best learning rate of a rule."""

    rule: str
    learning_rate: float
    errors: Array

    @property
    def last20(self) -> float:
        """The mean error of the 20 patterns seen last."""
        return float(self.errors[-20:].mean())

    @property
    def all(self) -> float:
        """The mean error of all patterns."""
        return float(self.errors.mean())
