"""Online classification of 60,000 digits, each seen once: errors of the last 100.

The learning rate is the best over all 60,000 patterns, found with the first trial; the other trials are run
with that rate alone. The figure follows the caption, softmax units and the last 100 patterns; the text has
sigmoid units and the last 20.

Paper: fig:online_label_learning_MNIST
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.datasets import load
from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES
from reproduction.context import Context
from reproduction.experiments.classification import one_hot
from reproduction.figures.error_curves import RULES
from reproduction.figures.parts import Axes, Figure, named_panels

PROTOCOL = {"learning_rates": LEARNING_RATES, "trials": 10, "patterns": None, "seed": 0}
QUICK = {"learning_rates": QUICK_RATES[::2], "trials": 2, "patterns": 500}
N_SHOWN = 100
MEASURES = {"mae": "Mean absolute error", "misclassification": "Classification error"}
MARKERS = {"gradient_descent": "s", "hebbian_descent": "o", "hebb": "^", "covariance": "x"}


class Learned(NamedTuple):
    """One rule: its learning rate, and the measures of the last patterns, averaged over the trials."""

    learning_rate: float
    last: dict[str, Array]


def learn(context: Context, rule: str, inputs: Array, targets: Array, settings: dict[str, Any]) -> Learned:
    """Search the learning rate with one trial, and run all trials with the best."""
    options = {"rules": rule, "activations": "softmax", "seed": settings["seed"], "dtype": np.float32}
    rates = settings["learning_rates"]
    search = context.sweep(inputs, targets, learning_rates=rates, trials=1, measures="mae", **options)
    rate = search.best("all")[0].learning_rate
    options |= {"trials": settings["trials"], "evaluate_on": (inputs[-N_SHOWN:], targets[-N_SHOWN:])}
    found = context.sweep(inputs, targets, learning_rates=rate, measures=tuple(MEASURES), **options)
    return Learned(rate, {name: found.errors(name)[0, 0, 0, 0].mean(axis=0) for name in MEASURES})


def baselines(targets: Array) -> dict[str, float]:
    """Return the baselines: always answering the mean label, and always the most frequent one."""
    mean = targets.mean(axis=0, dtype=np.float64)
    return {"mae": float(np.abs(targets - mean).mean()), "misclassification": float(1 - mean.max())}


def draw(context: Context) -> Figure:
    """Draw each of the last 100 patterns as a point, and the mean of each rule as a line."""
    settings = context.effort.applied_to(PROTOCOL, QUICK)
    data = load("mnist", dtype=np.float32)
    inputs, targets = one_hot(data.train, data.n_classes, settings["patterns"])
    learned = {rule: learn(context, rule, inputs, targets, settings) for rule in RULES}
    baseline = baselines(targets)
    figure, panels = named_panels(*MEASURES.values(), width=5.2, height=4.4)
    for axes, name in zip(panels, MEASURES, strict=True):
        for rule, found in learned.items():
            _draw_points(axes, rule, found, name)
        axes.axhline(baseline[name], **plotting.BASELINE_STYLE)
        axes.set(xlabel=f"The last {N_SHOWN} patterns, in order of learning", ylabel=MEASURES[name])
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize=8, ncols=2)
    return figure


def _draw_points(axes: Axes, rule: str, found: Learned, measure: str) -> None:
    style, values = plotting.RULE_STYLES[rule], found.last[measure]
    label = f"{style['label']}, $\\eta$ = {found.learning_rate:g}: {values.mean():.4f}"
    steps = np.arange(1, len(values) + 1)
    axes.plot(steps, values, MARKERS[rule], color=style["color"], markersize=4, alpha=0.7)
    axes.axhline(values.mean(), color=style["color"], linestyle=style["linestyle"], label=label)
