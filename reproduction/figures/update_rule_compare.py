"""Possible directions of the Hebbian-descent update, given that of gradient descent.

Drawn for one pattern and the biases of two sigmoid units: each entry of Hebbian-descent is that of gradient
descent divided by φ′, which is at most 1/4.

Paper: fig:update_rule_compare
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.network import get_activation
from hebbian_descent.rules.gradient_descent import pulled_back
from reproduction.figures.base import PaperFigure
from reproduction.run_context import RunContext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PREACTIVATION = np.array([-0.9, -2.4])
TARGETS = np.array([1.0, 1.0])


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


def draw(context: RunContext) -> Figure:
    """Draw both updates, the line of equal loss, and the corner that Hebbian-descent cannot leave."""
    found = updates()
    figure, axes = plotting.new_figure(6.4, 5.2)
    corner_x, corner_y = found.smallest
    reach = 1.25
    hatched = [(corner_x, corner_y), (reach, corner_y), (reach, reach), (corner_x, reach)]
    axes.fill(
        *zip(*hatched, strict=True),
        facecolor="none",
        edgecolor="#999999",
        hatch="///",
        linewidth=0,
        label="Where Hebbian-descent can point",
    )
    along = np.array([-found.gradient_descent[1], found.gradient_descent[0]])
    along = along / np.linalg.norm(along)
    axes.plot(
        *np.outer(along, (-0.45, 0.6)), color="#56B4E9", linestyle="-.", linewidth=2, label="Equal loss"
    )
    for update, name, dashes in (
        (found.hebbian_descent, "hebbian_descent", ":"),
        (found.gradient_descent, "gradient_descent", "-"),
    ):
        style = plotting.RULE_STYLES[name]
        _arrow(axes, update, style["color"], dashes, style["label"], 3)
    _arrow(axes, found.smallest, "#999999", (0, (4, 2)), "Shortest possible, $4\\,\\Delta_{GD}$", 2)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel="Update of the first unit", ylabel="Update of the second unit", aspect="equal")
    axes.set(xlim=(-0.45, reach), ylim=(-0.5, reach))
    figure.legend(loc="outside lower center", frameon=False, ncols=3, fontsize=9)
    return figure


def _arrow(axes: Axes, end: Array, color: str, dashes: Any, label: str, width: float) -> None:
    # The head is drawn separately, since a dashed arrow would have a dashed head; the shortest lies on top.
    order = 5 - float(np.linalg.norm(end))
    neck = end * (1 - 0.06 / np.linalg.norm(end))
    axes.plot(
        *zip((0, 0), neck, strict=True),
        color=color,
        linestyle=dashes,
        linewidth=width,
        label=label,
        zorder=order,
    )
    axes.annotate(
        "",
        xy=tuple(end),
        xytext=tuple(neck),
        arrowprops={"arrowstyle": "-|>", "color": color, "mutation_scale": 20, "shrinkA": 0, "shrinkB": 0},
        zorder=order,
    )


FIGURE = PaperFigure(
    "fig:update_rule_compare", "The angle between Hebbian-descent and gradient descent", draw
)
