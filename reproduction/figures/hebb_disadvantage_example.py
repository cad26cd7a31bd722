"""Four pairs of patterns, two of them the same, that Hebb's rule cannot learn and Hebbian-descent can.

Paper: fig:hebb_disadvantage_example
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from hebbian_descent.rules import get_rule
from reproduction.context import Context
from reproduction.figures.parts import Axes, Figure, draw_units, named_panels

INPUTS = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
TARGETS = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
LEARNING_RATE, REPETITIONS, NORM = 10.0, 300, 100.0
RULES = {"Hebb's rule / covariance rule": "hebb", "Hebbian-descent": "hebbian_descent"}

PLACES, BOTTOM, TOP = (0.3, 2.9), 0.0, 2.4
"""Where the units are drawn."""


def learn(rule: str, inputs: Array = INPUTS, targets: Array = TARGETS) -> tuple[Array, Array]:
    """Return the weights, scaled to a norm of 100, and the outputs of a centered layer without bias."""
    weights = np.zeros((inputs.shape[1], targets.shape[1]))
    layer = Layer.from_weights(weights, activation="sigmoid", offset=inputs.mean(axis=0))
    without_bias = replace(get_rule(rule), learns_bias=False)
    train(layer, inputs, targets, rule=without_bias, learning_rate=LEARNING_RATE, epochs=REPETITIONS)
    layer.weights *= NORM / np.linalg.norm(layer.weights)
    return layer.weights, layer.output(inputs)


def draw(context: Context) -> Figure:
    """Draw the network that each rule learns, its inputs, its outputs and what they should be."""
    figure, panels = named_panels(*RULES, height=4.2)
    for axes, rule in zip(panels, RULES.values(), strict=True):
        weights, outputs = learn(rule)
        _draw_network(axes, weights)
        _write_patterns(axes, 3.9, "Target", TARGETS, TARGETS)
        _write_patterns(axes, 3.3, "Output", outputs, TARGETS)
        _write_patterns(axes, -0.85, "Input", INPUTS, INPUTS)
        axes.set(xlim=(-2.2, 4.4), ylim=(-1.2, 4.3))
        axes.set_axis_off()
    figure.supxlabel(
        "Solid: positive weights; dashed: negative weights; highlighted: wrong outputs", fontsize=9
    )
    return figure


def _write_patterns(axes: Axes, height: float, name: str, patterns: Array, right: Array) -> None:
    """Write patterns side by side; those that are not right are highlighted."""
    highlight = {"boxstyle": "round", "facecolor": "#F0E442", "edgecolor": "none"}
    axes.text(-2.1, height, name, fontsize=10, va="center")
    for i, (pattern, expected) in enumerate(zip(patterns, right, strict=True)):
        text = "(" + ", ".join(f"{abs(round(value, 2)):g}" for value in pattern) + ")"
        box = None if np.allclose(pattern, expected, atol=0.01) else highlight
        axes.text(-0.3 + 1.35 * i, height, text, fontsize=10, va="center", ha="center", bbox=box)


def _draw_network(axes: Axes, weights: Array) -> None:
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    widths = 0.6 + 4 * np.abs(weights) / np.abs(weights).max()
    for (i, x), (j, h) in product(enumerate(PLACES), enumerate(PLACES)):
        color, dashes = ("#999999", "--") if weights[i, j] < 0 else ("#000000", "-")
        axes.plot((x, h), (BOTTOM, TOP), color=color, linestyle=dashes, linewidth=widths[i, j], zorder=1)
        # At a quarter of the way, where the crossing lines are apart.
        place = x + 0.27 * (h - x), BOTTOM + 0.27 * (TOP - BOTTOM)
        axes.text(*place, f"{weights[i, j]:.1f}", fontsize=9, ha="center", va="center", bbox=box)
    draw_units(axes, PLACES, BOTTOM, "x")
    draw_units(axes, PLACES, TOP, "h")
