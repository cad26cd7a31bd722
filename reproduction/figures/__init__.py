"""The paper's figures, each under its label: `FIGURES` lists them, `draw` writes one as SVG.

`notes/figures.csv` has their titles and texts, this package what draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hebbian_descent import plotting
from reproduction.context import Context
from reproduction.figures import (
    autoencoder_structure,
    error_curves,
    function_plots,
    hebb_disadvantage_example,
    hidden_activity,
    moving_mnist,
    online_classification_mnist,
    scatter,
    update_rule_2d_example,
    update_rule_compare,
)
from reproduction.figures.parts import Figure
from reproduction.printed import notes

__all__ = ["FIGURES", "PaperFigure", "draw", "path_of"]


class PaperFigure(NamedTuple):
    """One figure under the paper's label."""

    label: str
    title: str
    see: str
    """What the figure shows, for the line below it."""
    alt: str
    """What is drawn, for those who cannot see it."""
    datasets: frozenset[str]
    """The datasets that drawing it loads."""
    tables: tuple[str, ...]
    """The tables whose rows it shows."""
    draw: Callable[[Context], Figure]
    """Compute what is not cached, and draw."""

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.label.partition(":")[2]


DRAWINGS: dict[str, Callable[[Context], Figure]] = {
    "fig:hebb_disadvantage_example": hebb_disadvantage_example.draw,
    "fig:sigmoid_and_derivative": function_plots.draw_activations,
    "fig:update_rule_2D_example": update_rule_2d_example.draw,
    "fig:update_rule_compare": update_rule_compare.draw,
    "fig:reg_loss_HD": function_plots.draw_smooth_losses,
    "fig:auto_encoder_structure": autoencoder_structure.draw,
    "fig:learning_rate_compare_lin_sig": error_curves.draw_learning_rates,
    "fig:moving_MNIST": moving_mnist.draw,
    "fig:online_label_learning_MNIST": online_classification_mnist.draw,
    "fig:hidden_activity_GD_HD": hidden_activity.draw,
    **{label: partial(error_curves.draw, panels=panels) for label, panels in error_curves.PANELS.items()},
    **{label: partial(scatter.draw, panels=panels) for label, panels in scatter.PANELS.items()},
}


def _figure(row: dict[str, str]) -> PaperFigure:
    label, datasets = row["label"], frozenset(row.pop("datasets").split())
    tables = scatter.tables_of(scatter.PANELS.get(label, ()))
    return PaperFigure(**row, datasets=datasets, tables=tables, draw=DRAWINGS[label])


FIGURES: dict[str, PaperFigure] = {row["label"]: _figure(row) for row in notes("figures")}
"""By the paper's labels, in the paper's order."""


def draw(label: str, context: Context) -> Path:
    """Draw a figure, write it as SVG, and return its file; the same numbers give the same bytes."""
    path = path_of(label, context)
    figure = FIGURES[label].draw(context)
    path.parent.mkdir(parents=True, exist_ok=True)
    plotting.save_svg(figure, path)
    return path


def path_of(label: str, context: Context) -> Path:
    """Return the file of a figure: OUTPUT/figures/NAME.svg, below a folder of its own for other efforts."""
    effort = "" if context.effort.is_the_papers else context.effort.name
    return context.folder / "figures" / effort / f"{FIGURES[label].name}.svg"
