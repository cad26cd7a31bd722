"""Problems: the same patterns, initial weights and order of patterns for all contenders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.learning.run import epoch_order
from hebbian_descent.sweep import initial_weights

Array: TypeAlias = npt.NDArray[np.floating[Any]]

SEED = 0


@dataclass(frozen=True, eq=False)
class Problem:
    """Patterns to learn in batches.

    What peers would have to prepare is prepared for them, outside the measured time: centered inputs, batches
    in the order in which they are learned, and initial weights.
    """

    inputs: Array
    epochs: int
    batch_size: int
    dtype: str

    @property
    def n_inputs(self) -> int:
        """The number of input units."""
        return self.inputs.shape[1]

    @property
    def n_patterns(self) -> int:
        """The number of patterns of an epoch."""
        return len(self.inputs)

    @cached_property
    def centered_inputs(self) -> Array:
        """Inputs less their mean: x − μ."""
        return (self.inputs - self.inputs.mean(axis=0)).astype(self.dtype)

    @cached_property
    def batched_inputs(self) -> Array:
        """The centered inputs of each update, (n_updates, batch_size, n_inputs)."""
        return self.in_batches(self.centered_inputs)

    def in_batches(self, patterns: Array) -> Array:
        """Return the patterns of each update; only batches are reordered in each epoch."""
        orders = [
            epoch_order(self.n_patterns, SEED, epoch) if self.batch_size > 1 else np.arange(self.n_patterns)
            for epoch in range(self.epochs)
        ]
        return patterns[np.concatenate(orders).reshape(-1, self.batch_size)]

    @property
    def n_updates(self) -> int:
        """The number of updates of a run."""
        return self.epochs * self.n_patterns // self.batch_size

    def shortened(self, n_updates: int) -> Problem:
        """Return the same problem with few patterns, enough to tell which variant of a peer is fastest."""
        return replace(self, inputs=self.inputs[: n_updates * self.batch_size], epochs=1)


@dataclass(frozen=True, eq=False)
class LayerProblem(Problem):
    """Layers that differ in their learning rate and their initial weights, all learned by Hebbian-descent.

    Runs are numbered trial by trial, within a trial by learning rate.
    """

    targets: Array
    activation: str
    learning_rates: tuple[float, ...]
    trials: int

    @property
    def n_outputs(self) -> int:
        """The number of output units."""
        return self.targets.shape[1]

    @property
    def n_runs(self) -> int:
        """The number of layers."""
        return len(self.learning_rates) * self.trials

    @cached_property
    def typed_targets(self) -> Array:
        """The targets in the precision of the problem."""
        return self.targets.astype(self.dtype)

    @cached_property
    def batched_targets(self) -> Array:
        """The targets of each update, (n_updates, batch_size, n_outputs)."""
        return self.in_batches(self.typed_targets)

    @cached_property
    def weights_of_trial(self) -> list[Array]:
        """The initial weights of each trial."""
        return [
            initial_weights(SEED, trial, self.n_inputs, self.n_outputs, dtype=self.dtype)
            for trial in range(self.trials)
        ]

    def shortened(self, n_updates: int) -> LayerProblem:
        """Return the same runs with few patterns."""
        targets = self.targets[: n_updates * self.batch_size]
        return replace(super().shortened(n_updates), targets=targets)

    def start_of(self, run: int) -> Array:
        """Return the initial weights of a run."""
        return self.weights_of_trial[run // len(self.learning_rates)]

    def learning_rate_of(self, run: int) -> float:
        """Return the learning rate of a run."""
        return self.learning_rates[run % len(self.learning_rates)]


@dataclass(frozen=True, eq=False)
class AutoencoderProblem(Problem):
    """One tied auto-encoder with sigmoid hidden and linear output units, learned by Hebbian-descent."""

    n_hidden: int
    learning_rate: float
    hidden_shift: float = 0.01
    hidden_offset: float = 0.5
    n_runs: int = 1

    @cached_property
    def start(self) -> Array:
        """The initial weights."""
        return initial_weights(SEED, 0, self.n_inputs, self.n_hidden, dtype=self.dtype)

    @cached_property
    def typed_targets(self) -> Array:
        """What is to be reconstructed: the inputs, not centered."""
        return self.inputs.astype(self.dtype)

    @cached_property
    def batched_targets(self) -> Array:
        """The same for each update, (n_updates, batch_size, n_inputs)."""
        return self.in_batches(self.typed_targets)
