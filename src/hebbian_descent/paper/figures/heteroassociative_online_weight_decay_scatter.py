"""Every rule with weight decay against the same without, experiment by experiment.

Paper: fig:heteroassociative_online_weight_decay_scatter
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WITHOUT = ("tab:Hetero_online_centered_1", "tab:Hetero_online_centered_2", "tab:Hetero_online_centered_3")
WITH = ("tab:centered_weight_decay",)
RULES = {
    "gradient_descent": "Gradient descent",
    "hebbian_descent": "Hebbian-descent",
    "hebb": "Hebb's rule",
    "covariance": "Covariance rule",
}

PANELS = tuple(
    Panel(
        title,
        Side("without weight decay", WITHOUT, {"rule": rule}),
        Side("with weight decay", WITH, {"rule": rule}),
    )
    for rule, title in RULES.items()
)


def draw(place: Place) -> Figure:
    """Draw the error of the last 20 patterns."""
    return scatter_figure(place, PANELS)


FIGURE = PaperFigure(
    "fig:heteroassociative_online_weight_decay_scatter",
    "Online hetero-association: with against without weight decay",
    draw,
    frozenset({"rand", "randn", "adult", "connect", "mnist", "cifar"}),
    (*WITH, *WITHOUT),
)
