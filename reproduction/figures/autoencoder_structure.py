"""A tied auto-encoder, and where the factors of its Hebbian-descent update come from.

Paper: fig:auto_encoder_structure
"""

from __future__ import annotations

from itertools import pairwise, product

from hebbian_descent import plotting
from reproduction.context import Context
from reproduction.figures.parts import Axes, Figure, arrow, draw_units

BOTTOM, MIDDLE, TOP = 0.0, 2.2, 4.4
INPUTS, HIDDEN = (-1.5, -0.5, 0.5, 1.5), (-0.5, 0.5)
LAYERS = ((BOTTOM, INPUTS, "x"), (MIDDLE, HIDDEN, "h"), (TOP, INPUTS, "z"))
"""Height, places and letter of the units."""
EQUATIONS = (
    (BOTTOM, "Input $x$, offset $\\mu$"),
    ((BOTTOM + MIDDLE) / 2, "Encoder $W$"),
    (MIDDLE, "Hidden units\n$h = \\phi_{enc}((x - \\mu)\\,W + b)$"),
    ((MIDDLE + TOP) / 2, "Decoder $W^T$, the same weights"),
    (TOP, "Reconstruction\n$z = \\phi_{dec}((h - \\lambda)\\,W^T + c)$"),
)
UPDATE = (
    "Auto-associative Hebbian-descent\n\n"
    "$\\Delta W = -\\eta\\; \\mathcal{E}(x, z)^T (h - \\lambda)$\n"
    "$\\Delta c = -\\eta\\; \\mathcal{E}(x, z)$\n\n"
    "with $\\mathcal{E}(x, z) = z - x$"
)
FACTORS = (
    ((1.9, TOP), (4.3, MIDDLE + 0.68), "$z$", "angle,angleA=0,angleB=90,rad=8"),
    ((0.9, MIDDLE), (3.28, MIDDLE), "$h - \\lambda$", "arc3,rad=0"),
    ((1.9, BOTTOM), (4.3, MIDDLE - 0.68), "$x$", "angle,angleA=0,angleB=90,rad=8"),
)
"""Arrows to the update: start, end, name, way."""


def draw(context: Context) -> Figure:
    """Draw the input below, the hidden units, the reconstruction above, and the update next to them."""
    figure, axes = plotting.new_figure(8.4, 4.8)
    for (low, below, _), (high, above, _) in pairwise(LAYERS):
        for ends in product(below, above):
            axes.plot(ends, (low, high), color="#999999", linewidth=1, zorder=1)
    for height, places, letter in LAYERS:
        draw_units(axes, places, height, letter)
    for height, text in EQUATIONS:
        axes.text(-4.5, height, text, fontsize=10, va="center")
    _draw_update(axes, plotting.RULE_STYLES["hebbian_descent"]["color"])
    axes.set(xlim=(-4.6, 7.0), ylim=(-0.6, 5.0))
    axes.set_axis_off()
    return figure


def _draw_update(axes: Axes, color: str) -> None:
    box = {"boxstyle": "round,pad=0.6", "facecolor": "white", "edgecolor": color, "linewidth": 1.5}
    axes.text(5.0, MIDDLE, UPDATE, fontsize=10, ha="center", va="center", bbox=box)
    for start, end, name, way in FACTORS:
        arrow(axes, start, end, color, linewidth=1.6, connectionstyle=way)
        axes.text(2.6, start[1] + 0.12, name, color=color, fontsize=11, ha="center")
