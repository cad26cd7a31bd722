"""Two rules in auto-encoders, experiment by experiment: what they reconstruct, how active they are.

Colours are those of the hidden units.

Paper: fig:auto_association_compare
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE = ("tab:auto_associative",)

PANELS = tuple(
    Panel(
        title,
        Side("gradient descent", TABLE, {"rule": "gradient_descent"}),
        Side("Hebbian-descent", TABLE, {"rule": "hebbian_descent"}),
        column,
        what,
    )
    for column, title, what in (
        ("mae_mean", "Mean absolute error", "Error"),
        ("mean_hidden_activity", "Average hidden activity", "Activity"),
    )
)


def draw(place: Place) -> Figure:
    """Draw the error on the test patterns, and the mean activity of the hidden units."""
    return scatter_figure(place, PANELS)


FIGURE = PaperFigure(
    "fig:auto_association_compare",
    "Auto-encoders: Hebbian-descent against gradient descent",
    draw,
    frozenset({"adult", "connect", "mnist", "cifar"}),
    TABLE,
)
