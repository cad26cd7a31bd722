"""Offsets that follow the inputs against offsets fixed at the mean, experiment by experiment.

Paper: fig:heteroassociative_online_updated_offsets_scatter
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE = ("tab:Hetero_online_centered_shift",)

PANELS = tuple(
    Panel(
        title,
        Side("fixed offsets", TABLE, {"rule": rule, "offsets": "fixed"}),
        Side("updated offsets", TABLE, {"rule": rule, "offsets": "adaptive"}),
    )
    for rule, title in (("gradient_descent", "Gradient descent"), ("hebbian_descent", "Hebbian-descent"))
)


def draw(place: Place) -> Figure:
    """Draw the error of the last 20 patterns."""
    return scatter_figure(place, PANELS)


FIGURE = PaperFigure(
    "fig:heteroassociative_online_updated_offsets_scatter",
    "Online hetero-association: fixed against updated offsets",
    draw,
    frozenset({"rand", "randn", "adult", "connect", "mnist", "cifar"}),
    TABLE,
)
