"""Two rules in classification, experiment by experiment.

Paper: fig:label_learning_scatter
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = tuple(
    Panel(
        title,
        Side("gradient descent", (table,), {"rule": "gradient_descent"}),
        Side("Hebbian-descent", (table,), {"rule": "hebbian_descent"}),
        "error_mean",
        "Classification error",
    )
    for table, title in (
        ("tab:label_learning_centered", "With centering"),
        ("tab:label_learning_uncentered", "Without centering"),
    )
)


def draw(place: Place) -> Figure:
    """Draw the share of test patterns that are misclassified."""
    return scatter_figure(place, PANELS)


FIGURE = PaperFigure(
    "fig:label_learning_scatter",
    "Classification: Hebbian-descent against gradient descent",
    draw,
    frozenset({"adult", "connect", "mnist", "cifar"}),
    ("tab:label_learning_centered", "tab:label_learning_uncentered"),
)
