"""A thousand patterns, far more than a network can hold, learned one at a time.

Paper: fig:long_training_rand_adult
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent import plotting
from hebbian_descent.paper.figures.base import PaperFigure, name_panels
from hebbian_descent.paper.figures.curves import learned, plot_errors
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"patterns": 300}


def draw(place: Place) -> Figure:
    """Draw the error of each pattern at the best rate for the last 20."""
    pairs = (("rand", "rand"), ("rand", "adult"))
    results = [learned(place, pair, quick=QUICK, patterns=1000) for pair in pairs]
    figure, panels = plotting.new_panels(2)
    n_patterns = len(results[0].axes["pattern"])
    name_panels(panels, [f"RAND→RAND, {n_patterns} patterns", f"RAND→ADULT, {n_patterns} patterns"])
    for axes, result in zip(panels, results, strict=True):
        plot_errors(axes, result, "last20")
        for line in axes.lines:
            line.set_linewidth(1.0)  # a thousand points are ragged
    return figure


FIGURE = PaperFigure(
    "fig:long_training_rand_adult",
    "1000 patterns with centering: error of each pattern",
    draw,
    frozenset({"rand", "adult"}),
)
