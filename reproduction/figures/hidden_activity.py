"""Activity of each hidden unit of an auto-encoder after learning by two rules.

A single trial, at the learning rates that the paper's table prints.

Paper: fig:hidden_activity_GD_HD
"""

from __future__ import annotations

import time
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.datasets import load
from hebbian_descent.learning.run import train
from hebbian_descent.network import Autoencoder
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep import initial_weights
from reproduction.experiments.auto_association import PROTOCOL, n_hidden
from reproduction.figures.base import PaperFigure, name_panels
from reproduction.printed import printed_rows
from reproduction.run_context import RunContext

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RULES = ("gradient_descent", "hebbian_descent")
SETTINGS = {name: PROTOCOL[name] for name in ("epochs", "batch_size", "hidden_shift", "seed", "patterns")}
"""What a single run at a printed learning rate needs of the table's protocol."""
QUICK = {"epochs": 3, "patterns": 1000}


class Network(NamedTuple):
    """A dataset with the hidden and the output units of its auto-encoder."""

    dataset: str
    hidden: str
    output: str

    def learning_rate(self, rule: str) -> float:
        """Return the best learning rate as printed."""
        cell = {
            "dataset": self.dataset,
            "hidden_activation": self.hidden,
            "output_activation": self.output,
            "rule": rule,
        }
        (row,) = (row for row in printed_rows("tab:auto_associative") if row.cell == cell)
        return row.context["best_learning_rate"]


NETWORKS = {
    "ADULT, sigmoid to linear units": Network("adult", "sigmoid", "linear"),
    "MNIST, rectifier to sigmoid units": Network("mnist", "rectifier", "sigmoid"),
}


class HiddenActivity(NamedTuple):
    """Each hidden unit's activity over the test patterns."""

    mean: Array
    std: Array


def hidden_activity(context: RunContext, network: Network, rule: str) -> HiddenActivity:
    """Return the activity of the hidden units after training, from the store if available."""
    settings = context.effort.applied_to(SETTINGS, QUICK)
    data = load(network.dataset, dtype=np.float32)
    inputs = data.train.inputs[: settings["patterns"]]
    test = (data.test or data.train).inputs
    specification = {
        "kind": "hidden units",
        **network._asdict(),
        "rule": rule,
        "learning_rate": network.learning_rate(rule),
        "inputs": inputs,
        "test": test,
        **{name: value for name, value in settings.items() if name != "patterns"},
    }
    record = context.store.find(
        context.store.key(specification), lambda found: set(found.values) == set(HiddenActivity._fields)
    )
    if record is None:
        start = time.perf_counter()
        h = _trained(network, inputs, specification).encode(test)
        values = {"mean": h.mean(axis=0, dtype=np.float64), "std": h.std(axis=0, dtype=np.float64)}
        axes = {"unit": np.arange(h.shape[1])}
        record = Record(specification, axes, values, time.perf_counter() - start)
        context.store.write(record)
    return HiddenActivity(**record.values)


def _trained(network: Network, inputs: Array, settings: dict[str, Any]) -> Autoencoder:
    n_inputs = inputs.shape[1]
    autoencoder = Autoencoder.from_weights(
        initial_weights(settings["seed"], 0, n_inputs, n_hidden(n_inputs), dtype=inputs.dtype),
        hidden_activation=network.hidden,
        output_activation=network.output,
        offset=inputs.mean(axis=0, dtype=np.float64),
    )
    names = ("rule", "learning_rate", "epochs", "batch_size", "hidden_shift", "seed")
    train(autoencoder, inputs, shuffle=True, **{name: settings[name] for name in names})
    return autoencoder


def draw(context: RunContext) -> Figure:
    """Draw the mean and the standard deviation of each hidden unit, one panel per network."""
    found: dict[str, dict[str, HiddenActivity]] = {title: {} for title in NETWORKS}
    n_runs = len(NETWORKS) * len(RULES)
    for n_done, (title, rule) in enumerate(product(NETWORKS, RULES)):
        if context.progress is not None:
            context.progress(n_done, n_runs)
        found[title][rule] = hidden_activity(context, NETWORKS[title], rule)
    figure, panels = plotting.new_panels(2, width=5.0)
    name_panels(panels, list(found))
    for axes, by_rule in zip(panels, found.values(), strict=True):
        for rule, (mean, std) in by_rule.items():
            style = plotting.RULE_STYLES[rule]
            units = np.arange(1, len(mean) + 1)
            label = f"{style['label']}, mean {mean.mean():.3f}, spread of units {mean.std():.3f}"
            axes.plot(units, mean, color=style["color"], linewidth=1.4, label=label)
            axes.fill_between(units, mean - std, mean + std, color=style["color"], alpha=0.15, linewidth=0)
        axes.set(xlabel="Hidden unit", ylabel="Activity over the test patterns")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False, fontsize=8)
    return figure


FIGURE = PaperFigure(
    "fig:hidden_activity_GD_HD",
    "How active each hidden unit is after Hebbian-descent and after gradient descent",
    draw,
    frozenset({"adult", "mnist"}),
    protocol=SETTINGS,
)
