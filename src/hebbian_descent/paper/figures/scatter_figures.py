"""Scatter figures of tables: each point compares two rules, or two settings of a rule, in one experiment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hebbian_descent.paper.figures.base import PaperFigure
from hebbian_descent.paper.figures.scatter import Panel, Side, scatter_figure
from hebbian_descent.paper.tables import TABLES
from hebbian_descent.rules import rule_title

CENTERED = ("tab:Hetero_online_centered_1", "tab:Hetero_online_centered_2", "tab:Hetero_online_centered_3")
UNCENTERED = (
    "tab:Hetero_online_uncentered_1",
    "tab:Hetero_online_uncentered_2",
    "tab:Hetero_online_uncentered_3",
)
ADAPTIVE_OFFSETS = ("tab:Hetero_online_centered_shift",)
WEIGHT_DECAY = ("tab:centered_weight_decay",)
# The text says that all results are shown, the caption names the first of three tables; all three are drawn.
MULTI_EPOCH = ("tab:Hetero_offline_1", "tab:Hetero_offline_2", "tab:Hetero_offline_3")
AUTO_ASSOCIATION = ("tab:auto_associative",)


def two_rules(
    title: str,
    tables: Sequence[str],
    column: str = "mae_last20",
    what: str = "Error of the last 20",
    **cell: str,
) -> Panel:
    """Return a panel with gradient descent on the x-axis and Hebbian-descent on the y-axis."""
    x, y = (
        Side(rule_title(rule, in_sentence=True), tuple(tables), {"rule": rule, **cell})
        for rule in ("gradient_descent", "hebbian_descent")
    )
    return Panel(title, x, y, column, what)


PANELS: dict[str, tuple[Panel, ...]] = {
    "fig:heteroassociative_online_hebbian_scatter": (
        two_rules("With centering", CENTERED),
        Panel(
            "Hebbian-descent",
            Side("without centering", UNCENTERED, {"rule": "hebbian_descent"}),
            Side("with centering", CENTERED, {"rule": "hebbian_descent"}),
        ),
    ),
    "fig:heteroassociative_online_updated_offsets_scatter": tuple(
        Panel(
            rule_title(rule),
            Side("fixed offsets", ADAPTIVE_OFFSETS, {"rule": rule, "offsets": "fixed"}),
            Side("updated offsets", ADAPTIVE_OFFSETS, {"rule": rule, "offsets": "adaptive"}),
        )
        for rule in ("gradient_descent", "hebbian_descent")
    ),
    "fig:heteroassociative_online_weight_decay_scatter": tuple(
        Panel(
            rule_title(rule),
            Side("without weight decay", CENTERED, {"rule": rule}),
            Side("with weight decay", WEIGHT_DECAY, {"rule": rule}),
        )
        for rule in ("gradient_descent", "hebbian_descent", "hebb", "covariance")
    ),
    "fig:heteroassociative_online_multi_epoch_scatter": tuple(
        two_rules(title, MULTI_EPOCH, "mae_mean", "Error of all patterns", centering=centering)
        for centering, title in (("centered", "With centering"), ("uncentered", "Without centering"))
    ),
    "fig:label_learning_scatter": tuple(
        two_rules(title, [table], "error_mean", "Classification error")
        for table, title in (
            ("tab:label_learning_centered", "With centering"),
            ("tab:label_learning_uncentered", "Without centering"),
        )
    ),
    # The colours are those of the hidden units.
    "fig:auto_association_compare": (
        two_rules("Mean absolute error", AUTO_ASSOCIATION, "mae_mean", "Error"),
        two_rules("Average hidden activity", AUTO_ASSOCIATION, "mean_hidden_activity", "Activity"),
    ),
}
"""The panels of each figure, by label."""

TITLES = {
    "fig:heteroassociative_online_hebbian_scatter": (
        "Online hetero-association: Hebbian-descent against gradient descent, and centering"
    ),
    "fig:heteroassociative_online_updated_offsets_scatter": (
        "Online hetero-association: fixed against updated offsets"
    ),
    "fig:heteroassociative_online_weight_decay_scatter": (
        "Online hetero-association: with against without weight decay"
    ),
    "fig:heteroassociative_online_multi_epoch_scatter": (
        "Hetero-association over 100 epochs: Hebbian-descent against gradient descent"
    ),
    "fig:label_learning_scatter": "Classification: Hebbian-descent against gradient descent",
    "fig:auto_association_compare": "Auto-encoders: Hebbian-descent against gradient descent",
}


def _figure(label: str) -> PaperFigure:
    panels = PANELS[label]
    tables = tuple(
        dict.fromkeys(table for panel in panels for side in (panel.x, panel.y) for table in side.tables)
    )
    datasets = frozenset().union(*(TABLES[table].datasets for table in tables))
    return PaperFigure(label, TITLES[label], partial(scatter_figure, panels=panels), datasets, tables)


SCATTER_FIGURES = tuple(map(_figure, PANELS))
