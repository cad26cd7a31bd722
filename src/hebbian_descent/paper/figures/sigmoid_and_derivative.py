"""Three activation functions and their derivatives, of which two vanish on one side and one on both.

Paper: fig:sigmoid_and_derivative
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.network import get_activation
from hebbian_descent.paper.figures.base import PaperFigure, name_panels
from hebbian_descent.paper.run_context import Place
from hebbian_descent.rules.gradient_descent import pulled_back

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = {"sigmoid": ("Sigmoid", "-"), "rectifier": ("Rectifier", "--"), "explin": ("ExpLin", ":")}


def draw(place: Place) -> Figure:
    """Draw the functions on the left and their derivatives on the right."""
    a = np.linspace(-4, 4, 801)
    figure, panels = plotting.new_panels(2)
    name_panels(panels, ["Activation functions", "Their derivatives"])
    for name, (title, dashes) in LINES.items():
        activation = get_activation(name)
        h = activation(a)
        slope = pulled_back(activation, np.ones_like(a), a, h)
        for axes, values in zip(panels, (h, slope), strict=True):
            color = plotting.ACTIVATION_COLORS[name]
            axes.plot(a, values, linewidth=2, linestyle=dashes, color=color, label=title)
    panels[0].set(xlabel="Preactivation $a$", ylabel="$\\phi(a)$", ylim=(-1.2, 4.1))
    panels[1].set(xlabel="Preactivation $a$", ylabel="$\\phi'(a)$", ylim=(-0.05, 1.1))
    panels[0].legend(loc="upper left", frameon=False, fontsize=9)
    return figure


FIGURE = PaperFigure(
    "fig:sigmoid_and_derivative", "Sigmoid, rectifier and ExpLin with their derivatives", draw
)
