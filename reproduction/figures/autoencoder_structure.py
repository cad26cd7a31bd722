"""A tied auto-encoder, and where the factors of its Hebbian-descent update come from.

Paper: fig:auto_encoder_structure
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hebbian_descent import plotting
from reproduction.figures.base import PaperFigure
from reproduction.run_context import RunContext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_INPUTS, N_HIDDEN = 4, 2
BOTTOM, MIDDLE, TOP = 0.0, 2.2, 4.4
UPDATE = plotting.RULE_STYLES["hebbian_descent"]["color"]


def draw(context: RunContext) -> Figure:
    """Draw the input below, the hidden units, the reconstruction above, and the update next to them."""
    figure, axes = plotting.new_figure(8.4, 4.8)
    axes.set_axis_off()
    layers = ((BOTTOM, N_INPUTS, "x"), (MIDDLE, N_HIDDEN, "h"), (TOP, N_INPUTS, "z"))
    for (low, n_low, _), (high, n_high, _) in pairwise(layers):
        for x in _places(n_low):
            for h in _places(n_high):
                axes.plot((x, h), (low, high), color="#999999", linewidth=1, zorder=1)
    for height, n_units, unit in layers:
        for number, x in enumerate(_places(n_units), start=1):
            axes.scatter(x, height, s=560, facecolor="white", edgecolor="black", zorder=2)
            axes.text(x, height, f"${unit}_{number}$", ha="center", va="center", fontsize=11, zorder=3)
    _write_equations(axes)
    _draw_update(axes)
    axes.set(xlim=(-4.6, 7.0), ylim=(-0.6, 5.0))
    return figure


def _places(n_units: int) -> list[float]:
    return [i - (n_units - 1) / 2 for i in range(n_units)]


def _write_equations(axes: Axes) -> None:
    lines = (
        (BOTTOM, "Input $x$, offset $\\mu$"),
        ((BOTTOM + MIDDLE) / 2, "Encoder $W$"),
        (MIDDLE, "Hidden units\n$h = \\phi_{enc}((x - \\mu)\\,W + b)$"),
        ((MIDDLE + TOP) / 2, "Decoder $W^T$, the same weights"),
        (TOP, "Reconstruction\n$z = \\phi_{dec}((h - \\lambda)\\,W^T + c)$"),
    )
    for height, text in lines:
        axes.text(-4.5, height, text, fontsize=10, va="center")


def _draw_update(axes: Axes) -> None:
    box = {"boxstyle": "round,pad=0.6", "facecolor": "white", "edgecolor": UPDATE, "linewidth": 1.5}
    equations = (
        "Auto-associative Hebbian-descent\n\n"
        "$\\Delta W = -\\eta\\; \\mathcal{E}(x, z)^T (h - \\lambda)$\n"
        "$\\Delta c = -\\eta\\; \\mathcal{E}(x, z)$\n\n"
        "with $\\mathcal{E}(x, z) = z - x$"
    )
    axes.text(5.0, MIDDLE, equations, fontsize=10, ha="center", va="center", bbox=box)
    sides = N_INPUTS / 2 - 0.1, N_HIDDEN / 2 - 0.1
    _update_arrow(axes, (sides[0], TOP), (4.3, MIDDLE + 0.68), "$z$", "angle,angleA=0,angleB=90,rad=8")
    _update_arrow(axes, (sides[1], MIDDLE), (3.28, MIDDLE), "$h - \\lambda$", "arc3,rad=0")
    _update_arrow(axes, (sides[0], BOTTOM), (4.3, MIDDLE - 0.68), "$x$", "angle,angleA=0,angleB=90,rad=8")


def _update_arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], name: str, shape: str
) -> None:
    line = {"arrowstyle": "-|>", "color": UPDATE, "linewidth": 1.6, "connectionstyle": shape}
    axes.annotate("", xy=end, xytext=start, arrowprops=line)
    axes.text(2.6, start[1] + 0.12, name, color=UPDATE, fontsize=11, ha="center")


FIGURE = PaperFigure("fig:auto_encoder_structure", "The update of a tied auto-encoder", draw)
