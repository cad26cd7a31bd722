"""Learning of associations by the timing of spikes, beside the rule itself."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from reproduction.studies.base import Numbers, Settings
from reproduction.studies.spiking_neurons import Neurons, simulate

RULE, INDEPENDENT, CLAMPED, ADDED = WAYS = (
    "the rule itself",
    "independent spikes",
    "clamped teacher",
    "added teacher",
)
"""By rates; by spikes of outputs that fire at their rate whatever the inputs' timing; by caused spikes."""
ERRORS, FIRING, WEIGHTS = "errors", "firing", "weights"
"""Errors of the outputs' activity without noise and of the rates at which they fire; mean |w|."""
SECONDS_OF_TEST = 10.0


def errors_after_learning(settings: Settings, way: str) -> Numbers:
    """Return the error of each run after all epochs; runs differ in pairs, weights and spikes."""
    n_runs, n_pairs, n_in, n_out = (settings[name] for name in ("runs", "pairs", "inputs", "outputs"))
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 2, (n_pairs, n_runs, n_in))
    t = rng.uniform(0.1, 0.9, (n_pairs, n_runs, n_out))
    W = rng.normal(0, 0.1, (n_runs, n_in, n_out))
    b = np.zeros((n_runs, n_out))
    rng = np.random.default_rng(1)  # the same pairs and weights for all ways
    for epoch in range(settings["epochs"]):
        rate = settings["learning_rate"] / (1 + epoch / 10)  # so that the noise of spikes averages out
        for inputs, targets in zip(x, t, strict=True):
            if way == RULE:
                error = targets - _levels(inputs, W, b)
                dW, db = (inputs - 1)[:, :, None] * error[:, None, :], error
            else:
                dW, db = _by_timing(settings, way, inputs, targets, W, b, rng)
            W += rate * dW
            b += rate * db
    levels = np.array([_levels(inputs, W, b) for inputs in x])
    firing = levels
    if way in (CLAMPED, ADDED):
        seconds = min(SECONDS_OF_TEST, 20 * settings["learning_seconds"])
        bias = b - W.sum(axis=1)
        firing = np.array(
            [simulate(Neurons(), inputs, W, bias, seconds=seconds, rng=rng).outputs for inputs in x]
        )
    return {
        ERRORS: np.abs(levels - t).mean(axis=(0, 2)),
        FIRING: np.abs(firing - t).mean(axis=(0, 2)),
        WEIGHTS: np.abs(W).mean(axis=(1, 2)),
    }


def _levels(inputs: Array, W: Array, b: Array) -> Array:
    """Return the activity of the outputs without noise, inputs centered at 1."""
    a: Array = np.einsum("ri,rio->ro", inputs - 1, W) + b
    levels: Array = 1 / (1 + np.exp(-a))
    return levels


def _by_timing(
    settings: Settings, way: str, inputs: Array, targets: Array, W: Array, b: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the change of weights and bias by a supervised minus a free phase, in units of the rule."""
    neurons, seconds = Neurons(), settings["learning_seconds"]
    bias = b - W.sum(axis=1)
    levels = _levels(inputs, W, b)
    free = simulate(
        neurons, inputs, W, bias, seconds=seconds, rng=rng, teacher=levels if way == INDEPENDENT else None
    )
    drive = np.log(targets / (1 - targets)) - np.log(levels / (1 - levels))
    taught = simulate(
        neurons,
        inputs,
        W,
        bias,
        seconds=seconds,
        rng=rng,
        teacher=None if way == ADDED else targets,
        adds=drive if way == ADDED else None,
    )
    per_pair = neurons.window_area * neurons.rate * neurons.highest_rate * neurons.step * seconds
    error = taught.outputs - free.outputs
    return (taught.change - free.change) / per_pair - error[:, None, :], error  # less the inputs' baseline
