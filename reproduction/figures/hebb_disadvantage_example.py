"""Four pairs of patterns, two of them the same, that Hebb's rule cannot learn and Hebbian-descent can.

Paper: fig:hebb_disadvantage_example
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from hebbian_descent.rules import get_rule
from reproduction.figures.base import PaperFigure, name_panels
from reproduction.run_context import RunContext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INPUTS = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
TARGETS = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
LEARNING_RATE, REPETITIONS, NORM = 10.0, 300, 100.0
RULES = {"Hebb's rule / covariance rule": "hebb", "Hebbian-descent": "hebbian_descent"}


def learn(rule: str, inputs: Array = INPUTS, targets: Array = TARGETS) -> tuple[Array, Array]:
    """Return the weights, scaled to a norm of 100, and the outputs of a centered layer without bias."""
    weights = np.zeros((inputs.shape[1], targets.shape[1]))
    layer = Layer.from_weights(weights, activation="sigmoid", offset=inputs.mean(axis=0))
    without_bias = replace(get_rule(rule), learns_bias=False)
    train(layer, inputs, targets, rule=without_bias, learning_rate=LEARNING_RATE, epochs=REPETITIONS)
    layer.weights *= NORM / np.linalg.norm(layer.weights)
    return layer.weights, layer.output(inputs)


def draw(context: RunContext) -> Figure:
    """Draw the network that each rule learns, its inputs, its outputs and what they should be."""
    figure, panels = plotting.new_panels(2, height=4.2)
    name_panels(panels, list(RULES))
    for axes, rule in zip(panels, RULES.values(), strict=True):
        weights, outputs = learn(rule)
        _draw_network(axes, weights)
        for height, name, patterns in ((3.9, "Target", TARGETS), (3.3, "Output", outputs)):
            _write_patterns(axes, height, name, patterns, wrong=np.abs(patterns - TARGETS).max(axis=1) > 0.01)
        _write_patterns(axes, -0.85, "Input", INPUTS, wrong=np.zeros(4, dtype=bool))
        axes.set(xlim=(-2.2, 4.4), ylim=(-1.2, 4.3))
        axes.set_axis_off()
    note = "Solid: positive weights; dashed: negative weights; highlighted: wrong outputs"
    figure.supxlabel(note, fontsize=9)
    return figure


def _write_patterns(axes: Axes, height: float, name: str, patterns: Array, wrong: Array) -> None:
    axes.text(-2.1, height, name, fontsize=10, va="center")
    for i, (pattern, is_wrong) in enumerate(zip(patterns, wrong, strict=True)):
        text = "(" + ", ".join(f"{abs(round(value, 2)):g}" for value in pattern) + ")"
        axes.text(
            -0.3 + 1.35 * i,
            height,
            text,
            fontsize=10,
            va="center",
            ha="center",
            bbox={"boxstyle": "round", "facecolor": "#F0E442", "edgecolor": "none"} if is_wrong else None,
        )


def _draw_network(axes: Axes, weights: Array) -> None:
    left, right, bottom, top = 0.3, 2.9, 0.0, 2.4
    places = (left, right)
    largest = np.abs(weights).max()
    for i, x in enumerate(places):
        for j, h in enumerate(places):
            weight = weights[i, j]
            axes.plot(
                (x, h),
                (bottom, top),
                color="#999999" if weight < 0 else "#000000",
                linestyle="--" if weight < 0 else "-",
                linewidth=0.6 + 4 * abs(weight) / largest,
                zorder=1,
            )
            # At a quarter of the way, where the crossing lines are apart.
            axes.text(
                *(x + 0.27 * (h - x), bottom + 0.27 * (top - bottom)),
                f"{weight:.1f}",
                fontsize=9,
                ha="center",
                va="center",
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
            )
    for x, name in zip(places, ("1", "2"), strict=True):
        for height, unit in ((bottom, "x"), (top, "h")):
            axes.scatter(x, height, s=620, facecolor="white", edgecolor="black", zorder=2)
            axes.text(x, height, f"${unit}_{name}$", ha="center", va="center", fontsize=11, zorder=3)


FIGURE = PaperFigure(
    "fig:hebb_disadvantage_example", "What Hebb's rule cannot learn: correlated patterns", draw
)
