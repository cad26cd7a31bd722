"""Noise of synapses and of activity, from a seed: each update has its own stream of random numbers.

The stream depends only on (seed, trial, step). So a run is the same alone and among many, k epochs and then
m more are k + m epochs, and all learning rates of a trial get the same noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, as_number

Level: TypeAlias = "float | Callable[[np.random.Generator, Array], Array]"
"""The standard deviation of Gaussian noise, or a function (rng, array) → what is added to the array."""

ACTIVITY, WEIGHTS = 1, 2
"""The last part of a seed. It is not 0, because seeds that differ by zeros at the end are the same seed."""


@dataclass(frozen=True)
class Noise:
    """Noise added to the preactivations that a rule sees, and to the weights after each update."""

    weights: Level = 0.0
    """Noise of each weight, once per update; constraints and missing synapses still hold."""
    activity: Level = 0.0
    """Noise of each preactivation: the output that the rule sees is φ(a + noise). Recall has none."""

    def __post_init__(self) -> None:
        for name in ("weights", "activity"):
            level = getattr(self, name)
            if not callable(level):
                as_number(level, f"noise of {name}", at_least=0)

    @property
    def is_plain(self) -> bool:
        """Whether both levels are numbers."""
        return not callable(self.weights) and not callable(self.activity)


@dataclass(frozen=True)
class NoiseStream:
    """Noise with the seed of a run."""

    noise: Noise
    seed: int = 0
    trial: int = 0

    def of_activity(self, step: int, preactivation: Array) -> Array:
        """Return preactivations with noise."""
        return self._noisy(self.noise.activity, (step, ACTIVITY), preactivation)

    def of_weights(self, step: int, weights: Array) -> Array:
        """Return weights with noise."""
        return self._noisy(self.noise.weights, (step, WEIGHTS), weights)

    def _noisy(self, level: Level, key: tuple[int, int], array: Array) -> Array:
        if not callable(level) and level == 0:
            return array
        rng = np.random.default_rng((self.seed, self.trial, *key))
        added: Any = level(rng, array) if callable(level) else level * rng.standard_normal(array.shape)
        if np.shape(added) != array.shape:
            raise ValueError(
                f"A noise function must return an array of shape {array.shape}, one number per entry. "
                f"Got {np.shape(added)}."
            )
        noisy: Array = (array + added).astype(array.dtype, copy=False)
        return noisy


def as_noise(noise: Noise | None) -> Noise | None:
    """Return noise in its final form: None where there is none."""
    if noise is None or isinstance(noise, Noise):
        return None if noise == Noise() else noise
    raise TypeError(f"The noise must be Noise(weights=…, activity=…) or None. Got {noise!r}.")


def refuse_noise_of_units(noise: Noise | None) -> None:
    """Refuse noise of activity where hidden units and outputs would each need their own."""
    if noise is not None and (callable(noise.activity) or noise.activity):
        raise ValueError(
            "Noise of activity applies to the output units of a Layer. Got an Autoencoder: "
            "use Noise(weights=…)."
        )
