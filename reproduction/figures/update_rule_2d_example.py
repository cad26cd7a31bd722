"""Two rules descending one loss: three patterns, two weights, 50 updates of the whole batch.

The network is centered and has no bias, so that its loss is a surface over two weights and can reach zero.

Paper: fig:update_rule_2D_example
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer, get_activation
from hebbian_descent.rules import LOSSES, get_rule
from reproduction.context import Context
from reproduction.figures.parts import Axes, Figure, arrow, named_panels

if TYPE_CHECKING:
    from matplotlib.contour import QuadContourSet

INPUTS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [0.0], [1.0]])
OFFSET = INPUTS.mean(axis=0)

START = (-8.0, -3.0)
LEARNING_RATES = {"gradient_descent": 20.0, "hebbian_descent": 5.0}
"""Chosen by hand, as in the paper, which does not print its start and rates. How far the rules are apart
depends on them: from a start on the diagonal, updates of one length are the same for both."""
LENGTH = 0.35
"""Of each update where they are normalised."""
N_UPDATES, HALF_WAY = 50, 25


def loss(weights: Array) -> Array:
    """Return the squared error, averaged over the patterns, for weights along the last axis."""
    output = get_activation("sigmoid")(weights @ (INPUTS - OFFSET).T)  # (…, n_patterns)
    return np.asarray(LOSSES["squared_error"]()(TARGETS[:, 0], output) / len(TARGETS))


def path(rule: str, *, normalised: bool) -> Array:
    """Return the weights before and after each update, (51, 2)."""
    points = [np.array(START)]
    for _ in range(N_UPDATES):
        step = _step(rule, points[-1])
        if normalised:
            step *= LENGTH / np.linalg.norm(step)
        points.append(points[-1] + step)
    return np.array(points)


def _step(rule: str, weights: Array) -> Array:
    layer = Layer.from_weights(weights[:, None], activation="sigmoid", offset=OFFSET)
    without_bias, rate = replace(get_rule(rule), learns_bias=False), LEARNING_RATES[rule]
    train(layer, INPUTS, TARGETS, rule=without_bias, learning_rate=rate, batch_size=len(INPUTS))
    return layer.weights[:, 0] - weights


def draw(context: Context) -> Figure:
    """Draw both paths over the loss, with each rule's own learning rate, and with updates of one length."""
    figure, panels = named_panels(
        "Each with its own learning rate", "All updates of the same length", height=4.6
    )
    for axes, normalised in zip(panels, (False, True), strict=True):
        surface = _draw_loss(axes)
        for rule, rate in LEARNING_RATES.items():
            note = f"updates of length {LENGTH:g}" if normalised else f"$\\eta$ = {rate:g}"
            _draw_path(axes, rule, path(rule, normalised=normalised), note)
        axes.legend(loc="upper left", fontsize=8, framealpha=0.9)
    figure.colorbar(surface, ax=panels, label="Squared error", shrink=0.75)
    return figure


def _draw_loss(axes: Axes) -> QuadContourSet:
    weights = np.linspace(-9, 11, 81)
    values = loss(np.stack(np.meshgrid(weights, weights), axis=-1))
    surface = axes.contourf(weights, weights, values, levels=24, cmap="Greys")
    axes.contour(weights, weights, values, levels=12, colors="white", linewidths=0.5)
    axes.set(xlabel="Weight $w_0$", ylabel="Weight $w_1$", aspect="equal")
    axes.set(xticks=range(-8, 12, 4), yticks=range(-8, 12, 4), xlim=(-9, 11), ylim=(-9, 11))
    return surface


def _draw_path(axes: Axes, rule: str, points: Array, note: str) -> None:
    style = plotting.RULE_STYLES[rule]
    axes.plot(*points.T, color=style["color"], linewidth=1.2, label=f"{style['label']}, {note}")
    for step, (start, end) in enumerate(pairwise(points), start=1):
        width, head, order = (3.5, 22, 5) if step == HALF_WAY else (0.8, 7, 3)
        arrow(axes, start, end, style["color"], order, linewidth=width, mutation_scale=head)
