"""An error term that saturates, and the loss that follows from it: a smooth Huber loss.

Paper: fig:reg_loss_HD
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.paper.figures.base import PaperFigure, name_panels
from hebbian_descent.paper.run_context import Place
from hebbian_descent.rules import LOSSES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = {
    "Squared error": (LOSSES["squared_error"](), "#000000", ":"),
    "Smooth Huber, $\\alpha$ = 1": (LOSSES["smooth_huber"](saturation=1.0), "#E69F00", "-"),
    "Smooth Huber, $\\alpha$ = 2": (LOSSES["smooth_huber"](saturation=2.0), "#56B4E9", "--"),
}


def draw(place: Place) -> Figure:
    """Draw losses on the left and the error terms that they belong to on the right."""
    difference = np.linspace(-4, 4, 401)
    targets = np.zeros_like(difference)
    figure, panels = plotting.new_panels(2)
    name_panels(panels, ["Loss", "Error term"])
    for title, (loss, color, dashes) in LINES.items():
        style: dict[str, Any] = {"color": color, "linestyle": dashes, "linewidth": 2, "label": title}
        panels[0].plot(difference, loss.elements(targets, difference), **style)
        panels[1].plot(difference, loss.error(targets, difference), **style)
    panels[0].set(ylabel="$\\mathcal{L}_{HD}(t, h)$", ylim=(-0.1, 6))
    panels[1].set(ylabel="$\\mathcal{E}(t, h)$", ylim=(-3, 3))
    for axes in panels:
        axes.set_xlabel("$h - t$")
    panels[1].legend(loc="upper left", frameon=False, fontsize=9)
    return figure


FIGURE = PaperFigure("fig:reg_loss_HD", "The smooth Huber loss and its error term", draw)
