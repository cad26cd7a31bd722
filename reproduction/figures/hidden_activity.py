"""Activity of each hidden unit of an auto-encoder after learning by two rules.

A single trial, at the learning rates that the paper's table prints.

Paper: fig:hidden_activity_GD_HD
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.datasets import DatasetUnavailableError, load
from hebbian_descent.learning.run import train
from hebbian_descent.network import Autoencoder
from hebbian_descent.sweep import initial_weights
from reproduction.context import Context, Effort
from reproduction.experiments.auto_association import PROTOCOL, n_hidden
from reproduction.figures.parts import Figure, named_panels
from reproduction.printed import printed_rows
from reproduction.rows import Rows
from reproduction.running import Job, run

RULES = ("gradient_descent", "hebbian_descent")
SETTINGS = {name: PROTOCOL[name] for name in ("epochs", "batch_size", "hidden_shift", "seed", "patterns")}
"""What a single run at a printed learning rate needs of the table's protocol."""
MEASURES = ("activity_mean", "activity_std")
QUICK = {"epochs": 3, "patterns": 1000}


class Network(NamedTuple):
    """A dataset with the hidden and the output units of its auto-encoder."""

    dataset: str
    hidden_activation: str
    output_activation: str

    def learning_rate(self, rule: str) -> float:
        """Return the best learning rate as printed."""
        cell = {**self._asdict(), "rule": rule}
        (row,) = (row for row in printed_rows("tab:auto_associative") if row.cell == cell)
        return row.context["best_learning_rate"]


NETWORKS = {
    "ADULT, sigmoid to linear units": Network("adult", "sigmoid", "linear"),
    "MNIST, rectifier to sigmoid units": Network("mnist", "rectifier", "sigmoid"),
}


class HiddenUnits(NamedTuple):
    """The experiment: its rows are the mean and the deviation of each hidden unit over the test patterns."""

    label: str = "fig:hidden_activity_GD_HD"

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Yield one job per network and rule."""
        for network in NETWORKS.values():
            for rule in RULES:
                yield Job("-".join((*network, rule)), partial(measure, network, rule))


def measure(network: Network, rule: str, context: Context, before: Rows) -> Iterator[Mapping[str, Any]]:
    """Train one auto-encoder, and yield the activity of its hidden units."""
    settings = context.effort.applied_to(SETTINGS, QUICK)
    data = load(network.dataset, dtype=np.float32)
    inputs = data.train.inputs[: settings.pop("patterns")]
    h = trained(network, rule, inputs, settings).encode((data.test or data.train).inputs)
    cell = {**network._asdict(), "rule": rule}
    mean, std = h.mean(axis=0, dtype=np.float64), h.std(axis=0, dtype=np.float64)
    for unit, values in enumerate(zip(mean, std, strict=True), start=1):
        for name, value in zip(MEASURES, values, strict=True):
            yield {**cell, "unit": unit, "trial": 0, "measure": name, "value": value}


def trained(network: Network, rule: str, inputs: Array, settings: Mapping[str, Any]) -> Autoencoder:
    """Return the auto-encoder after learning."""
    n_inputs = inputs.shape[1]
    autoencoder = Autoencoder.from_weights(
        initial_weights(settings["seed"], 0, n_inputs, n_hidden(n_inputs), dtype=inputs.dtype),
        hidden_activation=network.hidden_activation,
        output_activation=network.output_activation,
        offset=inputs.mean(axis=0, dtype=np.float64),
    )
    rate = network.learning_rate(rule)
    train(autoencoder, inputs, rule=rule, learning_rate=rate, shuffle=True, **settings)
    return autoencoder


def activity_of(rows: Rows, network: Network, rule: str) -> tuple[Array, Array]:
    """Return mean and standard deviation of each hidden unit."""
    found = rows[(rows["dataset"] == network.dataset) & (rows["rule"] == rule)]
    mean, std = (found.loc[found["measure"] == name, "value"] for name in MEASURES)
    return mean.to_numpy(), std.to_numpy()


def draw(context: Context) -> Figure:
    """Draw the mean and the standard deviation of each hidden unit, one panel per network."""
    outcome = run(HiddenUnits(), context)
    if outcome.missing:
        raise DatasetUnavailableError(outcome.missing[0])
    figure, panels = named_panels(*NETWORKS, width=5.0)
    for axes, network in zip(panels, NETWORKS.values(), strict=True):
        for rule in RULES:
            mean, std = activity_of(outcome.rows, network, rule)
            style = plotting.RULE_STYLES[rule]
            units = np.arange(1, len(mean) + 1)
            label = f"{style['label']}, mean {mean.mean():.3f}, spread of units {mean.std():.3f}"
            axes.plot(units, mean, color=style["color"], linewidth=1.4, label=label)
            axes.fill_between(units, mean - std, mean + std, color=style["color"], alpha=0.15, linewidth=0)
        axes.set(xlabel="Hidden unit", ylabel="Activity over the test patterns")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False, fontsize=8)
    return figure
