"""Auto-encoders trained on digits and ADULT by some rules, for claims about what they learn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.datasets import load
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.run import train
from hebbian_descent.network import Autoencoder
from hebbian_descent.rules import AutoRule
from reproduction.experiments.auto_association import n_hidden
from reproduction.run_context import RunContext

DATASETS = ("digits", "adult")
NETWORKS = (("linear", "linear"), ("rectifier", "sigmoid"), ("explin", "linear"), ("sigmoid", "linear"))
"""Hidden and output activations."""
RATES = (4.0, 1.0, 0.4, 0.1, 0.04, 0.01)


class Setting(NamedTuple):
    """Data and units of a network, and for how long it is trained."""

    dataset: str
    hidden: str
    output: str
    epochs: int

    @property
    def name(self) -> str:
        """Such as digits linear/sigmoid."""
        return f"{self.dataset} {self.hidden}/{self.output}"


class Run(NamedTuple):
    """A trained network with its mean absolute error of reconstruction: at the start, after each epoch."""

    network: Autoencoder
    errors: Array


def settings(context: RunContext, *, epochs: int) -> Iterator[Setting]:
    """Yield all networks on all datasets (quick: on the first, for a few epochs)."""
    for dataset in DATASETS[:1] if context.effort.quick else DATASETS:
        for hidden, output in NETWORKS:
            yield Setting(dataset, hidden, output, 5 if context.effort.quick else epochs)


def patterns(context: RunContext, dataset: str) -> Array:
    """Return the training patterns of a dataset, at most 2000 (quick: 500)."""
    return load(dataset).train.inputs[: 500 if context.effort.quick else 2000].astype(np.float64)


def best_run(rule: AutoRule | str, x: Array, setting: Setting) -> Run:
    """Return the run with the learning rate that reconstructs best; those that diverge are left out."""
    runs = []
    for rate in RATES:
        with suppress(DivergenceError):
            runs.append(_run(rule, x, setting, rate))
    return min(runs, key=lambda run: float(run.errors[-1]))


def _run(rule: AutoRule | str, x: Array, setting: Setting, rate: float) -> Run:
    network = Autoencoder.create(
        x.shape[1],
        n_hidden(x.shape[1]),
        hidden_activation=setting.hidden,
        output_activation=setting.output,
        offset=x.mean(axis=0),
        rng=np.random.default_rng(0),
    )
    errors = [_error(network, x)]
    for epoch in range(setting.epochs):
        train(network, x, rule=rule, learning_rate=rate, batch_size=100, shuffle=True, seed=epoch)
        errors.append(_error(network, x))
    return Run(network, np.array(errors))


def _error(network: Autoencoder, x: Array) -> float:
    return float(np.abs(network.reconstruct(x) - x).mean())
