"""Two rules after 100 epochs, experiment by experiment.

The text says that all results are shown, the caption names the first of three tables; all three are drawn.

Paper: fig:heteroassociative_online_multi_epoch_scatter
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLES = ("tab:Hetero_offline_1", "tab:Hetero_offline_2", "tab:Hetero_offline_3")

PANELS = tuple(
    Panel(
        title,
        Side("gradient descent", TABLES, {"rule": "gradient_descent", "centering": centering}),
        Side("Hebbian-descent", TABLES, {"rule": "hebbian_descent", "centering": centering}),
        "mae_mean",
        "Error of all patterns",
    )
    for centering, title in (("centered", "With centering"), ("uncentered", "Without centering"))
)


def draw(place: Place) -> Figure:
    """Draw the error of all patterns."""
    return scatter_figure(place, PANELS)


FIGURE = PaperFigure(
    "fig:heteroassociative_online_multi_epoch_scatter",
    "Hetero-association over 100 epochs: Hebbian-descent against gradient descent",
    draw,
    frozenset({"rand", "randn", "adult", "connect", "mnist", "cifar"}),
    TABLES,
)
