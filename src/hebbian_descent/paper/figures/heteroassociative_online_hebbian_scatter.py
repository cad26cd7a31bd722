"""Online learning, experiment by experiment: two rules, and Hebbian-descent with and without centering.

Paper: fig:heteroassociative_online_hebbian_scatter
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CENTERED = ("tab:Hetero_online_centered_1", "tab:Hetero_online_centered_2", "tab:Hetero_online_centered_3")
UNCENTERED = (
    "tab:Hetero_online_uncentered_1",
    "tab:Hetero_online_uncentered_2",
    "tab:Hetero_online_uncentered_3",
)
HEBBIAN_DESCENT = {"rule": "hebbian_descent"}

PANELS = (
    Panel(
        "With centering",
        Side("gradient descent", CENTERED, {"rule": "gradient_descent"}),
        Side("Hebbian-descent", CENTERED, HEBBIAN_DESCENT),
    ),
    Panel(
        "Hebbian-descent",
        Side("without centering", UNCENTERED, HEBBIAN_DESCENT),
        Side("with centering", CENTERED, HEBBIAN_DESCENT),
    ),
)


def draw(place: Place) -> Figure:
    """Draw the error of the last 20 patterns."""
    return scatter_figure(place, PANELS)


FIGURE = PaperFigure(
    "fig:heteroassociative_online_hebbian_scatter",
    "Online hetero-association: Hebbian-descent against gradient descent, and centering",
    draw,
    frozenset({"rand", "randn", "adult", "connect", "mnist", "cifar"}),
    (*CENTERED, *UNCENTERED),
)
