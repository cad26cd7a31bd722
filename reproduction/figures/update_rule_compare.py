"""Possible directions of the Hebbian-descent update, given that of gradient descent.

Drawn for one pattern and the biases of two sigmoid units: each entry of Hebbian-descent is that of gradient
descent divided by φ′, which is at most 1/4.

Paper: fig:update_rule_compare
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.network import get_activation
from hebbian_descent.rules.gradient_descent import pulled_back
from reproduction.context import Context
from reproduction.figures.parts import Axes, Figure, arrow

PREACTIVATION = np.array([-0.9, -2.4])
TARGETS = np.array([1.0, 1.0])
REACH = 1.25
"""The end of both axes."""


class Updates(NamedTuple):
    """The updates of two biases, downhill."""

    gradient_descent: Array
    hebbian_descent: Array
    smallest: Array
    """The shortest possible update of Hebbian-descent, at the largest derivative in both units."""


def updates() -> Updates:
    """Return the updates of the biases of two sigmoid units by both rules."""
    sigmoid = get_activation("sigmoid")
    output = sigmoid(PREACTIVATION)
    downhill = TARGETS - output
    gradient = pulled_back(sigmoid, downhill, PREACTIVATION, output)
    return Updates(gradient, downhill, gradient / sigmoid.largest_slope)


def draw(context: Context) -> Figure:
    """Draw both updates, the line of equal loss, and the corner that Hebbian-descent cannot leave."""
    found, styles = updates(), plotting.RULE_STYLES
    figure, axes = plotting.new_figure(6.4, 5.2)
    _hatch_corner(axes, *found.smallest)
    along = np.array([-found.gradient_descent[1], found.gradient_descent[0]])
    ends = np.outer(along / np.linalg.norm(along), (-0.45, 0.6))
    axes.plot(*ends, color="#56B4E9", linestyle="-.", linewidth=2, label="Equal loss")
    _update(axes, found.hebbian_descent, linewidth=3, **{**styles["hebbian_descent"], "linestyle": ":"})
    _update(axes, found.gradient_descent, linewidth=3, **styles["gradient_descent"])
    shortest = {"color": "#999999", "label": "Shortest possible, $4\\,\\Delta_{GD}$"}
    _update(axes, found.smallest, linewidth=2, linestyle=(0, (4, 2)), **shortest)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel="Update of the first unit", ylabel="Update of the second unit", aspect="equal")
    axes.set(xlim=(-0.45, REACH), ylim=(-0.5, REACH))
    figure.legend(loc="outside lower center", frameon=False, ncols=2, fontsize=9)
    return figure


def _hatch_corner(axes: Axes, x: float, y: float) -> None:
    corners = (x, REACH, REACH, x), (y, y, REACH, REACH)
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": "#999999", "hatch": "///", "linewidth": 0}
    axes.fill(*corners, label="Where Hebbian-descent can point", **style)


def _update(axes: Axes, end: Array, color: str, **style: Any) -> None:
    """Draw an update from the origin; the head apart, since that of a dashed arrow would be dashed."""
    length = float(np.linalg.norm(end))
    neck = end * (1 - 0.06 / length)
    on_top = 5 - length  # the shortest lies on top
    axes.plot((0, neck[0]), (0, neck[1]), color=color, zorder=on_top, **style)
    arrow(axes, neck, end, color, on_top, mutation_scale=20)
