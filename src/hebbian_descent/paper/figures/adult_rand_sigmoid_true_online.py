"""Random patterns and real ones learned from each other, one at a time, with centering.

Paper: fig:adult_rand_sigmoid_true_online
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
    """Draw the error of each pattern at the best rate for all of them, in both directions."""
    results = [learned(place, pair) for pair in (("rand", "adult"), ("adult", "rand"))]
    figure, panels = plotting.new_panels(2)
    name_panels(panels, ["RAND→ADULT", "ADULT→RAND"])
    for axes, result in zip(panels, results, strict=True):
        plot_errors(axes, result, "all")
    return figure


FIGURE = PaperFigure(
    "fig:adult_rand_sigmoid_true_online",
    "RAND→ADULT and back with centering: error of each pattern",
    draw,
    frozenset({"rand", "adult"}),
)
