"""Patterns learned one at a time with weight decay, which makes every rule forget.

Text and caption disagree about the data: the text has RAND→RAND in (a) and RAND→ADULT in (b), the caption
RAND→ADULT in (a) and ADULT→RAND in (b). All three are drawn.

Paper: fig:rand_adult_weightdecay
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent import plotting
from hebbian_descent.paper.figures.base import PaperFigure, name_panels
from hebbian_descent.paper.figures.curves import learned, plot_errors
from hebbian_descent.paper.grids import WEIGHT_DECAYS
from hebbian_descent.paper.run_context import Place
from hebbian_descent.paper.tables import QUICK_DECAYS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAIRS = {
    "RAND→RAND, (a) in the text": ("rand", "rand"),
    "RAND→ADULT, (a) in the caption": ("rand", "adult"),
    "ADULT→RAND, (b) in the caption": ("adult", "rand"),
}


def draw(place: Place) -> Figure:
    """Draw the error of each pattern at the best rate and decay for the last 20."""
    quick = {"weight_decays": QUICK_DECAYS}
    results = [learned(place, pair, quick=quick, weight_decays=WEIGHT_DECAYS) for pair in PAIRS.values()]
    figure, panels = plotting.new_panels(3)
    name_panels(panels, list(PAIRS))
    for axes, result in zip(panels, results, strict=True):
        plot_errors(axes, result, "last20")
    return figure


FIGURE = PaperFigure(
    "fig:rand_adult_weightdecay",
    "RAND and ADULT with weight decay: error of each pattern",
    draw,
    frozenset({"rand", "adult"}),
)
