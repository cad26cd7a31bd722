"""Two rules descending one loss: three patterns, two weights, 50 updates of the whole batch.

The network is centered and has no bias, so that its loss is a surface over two weights and can reach zero.

Paper: fig:update_rule_2D_example
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.network import get_activation
from hebbian_descent.rules import LOSSES, Activity, get_error_term, get_rule
from reproduction.figures.base import PaperFigure, name_panels
from reproduction.run_context import RunContext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure

INPUTS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [0.0], [1.0]])
OFFSET = INPUTS.mean(axis=0)
SIGMOID = get_activation("sigmoid")

START = (-8.0, -3.0)
LEARNING_RATES = {"gradient_descent": 20.0, "hebbian_descent": 5.0}
"""Chosen by hand, as in the paper, which does not print its start and rates. How far the rules are apart
depends on them: from a start on the diagonal, updates of one length are the same for both."""
LENGTH_OF_NORMALISED_UPDATE = 0.35
N_UPDATES, HALF_WAY = 50, 25


def loss(weights: Array) -> Array:
    """Return the squared error, averaged over the patterns, for weights along the last axis."""
    output = SIGMOID(weights @ (INPUTS - OFFSET).T)  # (…, n_patterns)
    return np.asarray(LOSSES["squared_error"]()(TARGETS[:, 0], output) / len(TARGETS))


def path(rule: str, *, normalised: bool) -> Array:
    """Return the weights before and after each update, (51, 2)."""
    weights = np.array(START)
    points = [weights]
    for _ in range(N_UPDATES):
        change = _change(rule, weights)
        size = (
            LENGTH_OF_NORMALISED_UPDATE / np.linalg.norm(change, axis=0)
            if normalised
            else LEARNING_RATES[rule]
        )
        weights = weights - size * change
        points.append(weights)
    return np.array(points)


def _change(rule: str, weights: Array) -> Array:
    a = (INPUTS - OFFSET) @ weights[:, None]
    activity = Activity(
        inputs=INPUTS,
        offset=OFFSET,
        targets=TARGETS,
        preactivation=a,
        output=SIGMOID(a),
        activation=SIGMOID,
        error=get_error_term("difference"),
    )
    return get_rule(rule).change(activity).weights[:, 0]


def draw(context: RunContext) -> Figure:
    """Draw both paths over the loss, with each rule's own learning rate, and with updates of one length."""
    figure, panels = plotting.new_panels(2, height=4.6)
    rates = {rule: f"$\\eta$ = {rate:g}" for rule, rate in LEARNING_RATES.items()}
    lengths = dict.fromkeys(LEARNING_RATES, f"updates of length {LENGTH_OF_NORMALISED_UPDATE:g}")
    name_panels(panels, ["Each with its own learning rate", "All updates of the same length"])
    for axes, normalised, notes in zip(panels, (False, True), (rates, lengths), strict=True):
        surface = _draw_loss(axes)
        for rule in LEARNING_RATES:
            _draw_path(axes, rule, path(rule, normalised=normalised), notes[rule])
        axes.legend(loc="upper left", fontsize=8, framealpha=0.9)
    figure.colorbar(surface, ax=panels, label="Squared error", shrink=0.75)
    return figure


def _draw_loss(axes: Axes) -> QuadContourSet:
    ticks = np.linspace(-9, 11, 81)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1)
    surface = axes.contourf(ticks, ticks, loss(grid), levels=24, cmap="Greys")
    axes.contour(ticks, ticks, loss(grid), levels=12, colors="white", linewidths=0.5)
    axes.set(
        xlabel="Weight $w_0$",
        ylabel="Weight $w_1$",
        aspect="equal",
        xticks=range(-8, 12, 4),
        yticks=range(-8, 12, 4),
    )
    axes.set(xlim=(-9, 11), ylim=(-9, 11))
    return surface


def _draw_path(axes: Axes, rule: str, points: Array, note: str) -> None:
    style = plotting.RULE_STYLES[rule]
    axes.plot(*points.T, color=style["color"], linewidth=1.2, label=f"{style['label']}, {note}")
    for step, (start, end) in enumerate(pairwise(points), start=1):
        is_half_way = step == HALF_WAY
        axes.annotate(
            "",
            xy=tuple(end),
            xytext=tuple(start),
            arrowprops={
                "arrowstyle": "-|>",
                "color": style["color"],
                "linewidth": 3.5 if is_half_way else 0.8,
                "mutation_scale": 22 if is_half_way else 7,
                "shrinkA": 0,
                "shrinkB": 0,
            },
            zorder=5 if is_half_way else 3,
        )


FIGURE = PaperFigure(
    "fig:update_rule_2D_example", "Gradient descent and Hebbian-descent on the way down a loss", draw
)
