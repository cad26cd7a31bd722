"""Random patterns learned one at a time without centering, the learning rate chosen in two ways.

Paper: fig:rand_rand_sigmoid_false_online
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent import plotting
from hebbian_descent.paper.figures.base import PaperFigure, name_panels
from hebbian_descent.paper.figures.curves import learned, plot_errors
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(place: Place) -> Figure:
    """Draw the error of each pattern at the best rate for all of them, and for the last one."""
    result = learned(place, ("rand", "rand"), centering=None)
    figure, panels = plotting.new_panels(2)
    name_panels(panels, ["Best learning rate for all patterns", "Best learning rate for the last pattern"])
    for axes, by in zip(panels, ("all", "last"), strict=True):
        plot_errors(axes, result, by)
    return figure


FIGURE = PaperFigure(
    "fig:rand_rand_sigmoid_false_online",
    "RAND→RAND without centering: error of each pattern",
    draw,
    frozenset({"rand"}),
)
