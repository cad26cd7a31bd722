"""Scatter figures of tables: a point compares two rules, or two settings of a rule, in one experiment.

A cross is a measured experiment, averaged over draws and trials; a faint dot is the printed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from hebbian_descent import plotting
from hebbian_descent.rules import rule_title
from reproduction.claims import tables
from reproduction.claims.cells import Family
from reproduction.compare import verdicts
from reproduction.context import Context, Effort
from reproduction.figures.parts import Axes, Figure, named_panels
from reproduction.printed import printed_rows

MARKS: dict[str, dict[str, Any]] = {
    "printed": {"marker": "o", "markersize": 7, "alpha": 0.3, "markeredgewidth": 0, "zorder": 2},
    "ours": {"marker": "x", "markersize": 6, "markeredgewidth": 1.4, "zorder": 3},
}
ACTIVATION_TITLES = {"explin": "ExpLin"}

MEASURES = {
    "mae_last20": "Error of the last 20",
    "mae_mean": "Error of all patterns",
    "error_mean": "Classification error",
    "mean_hidden_activity": "Activity",
}
DESCENTS = ("gradient_descent", "hebbian_descent")


class Side(NamedTuple):
    """One axis: the rows that it shows."""

    title: str
    family: Family
    cell: Mapping[str, str]
    """What the rows have in common, such as the rule."""

    @property
    def measure(self) -> str:
        """The measure in words, and the side."""
        return f"{MEASURES[self.family.measure]}, {self.title}"


class Panel(NamedTuple):
    """A scatter plot: each experiment under two conditions."""

    title: str
    x: Side
    y: Side


def _descents(title: str, family: Family, **cell: str) -> Panel:
    """Return a panel with gradient descent on the x-axis and Hebbian-descent on the y-axis."""
    sides = (Side(rule_title(rule, in_sentence=True), family, {"rule": rule, **cell}) for rule in DESCENTS)
    return Panel(title, *sides)


def _conditions(rule: str, x: Side, y: Side) -> Panel:
    """Return a panel of one rule under two conditions."""
    return Panel(rule_title(rule), *(side._replace(cell={"rule": rule, **side.cell}) for side in (x, y)))


CENTERING = Side("without centering", tables.UNCENTERED, {}), Side("with centering", tables.CENTERED, {})
DECAYING = Side("without weight decay", tables.CENTERED, {}), Side("with weight decay", tables.DECAY, {})
FIXED, UPDATED = {"offsets": "fixed"}, {"offsets": "adaptive"}
FOLLOWING = Side("fixed offsets", tables.OFFSETS, FIXED), Side("updated offsets", tables.OFFSETS, UPDATED)
PANELS: dict[str, tuple[Panel, ...]] = {
    "fig:heteroassociative_online_hebbian_scatter": (
        _descents("With centering", tables.CENTERED),
        _conditions("hebbian_descent", *CENTERING),
    ),
    "fig:heteroassociative_online_updated_offsets_scatter": tuple(
        _conditions(rule, *FOLLOWING) for rule in DESCENTS
    ),
    "fig:heteroassociative_online_weight_decay_scatter": tuple(
        _conditions(rule, *DECAYING) for rule in (*DESCENTS, "hebb", "covariance")
    ),
    # The text says that all results are shown, the caption names the first of three tables; all are drawn.
    "fig:heteroassociative_online_multi_epoch_scatter": (
        _descents("With centering", tables.EPOCHS, centering="centered"),
        _descents("Without centering", tables.EPOCHS, centering="uncentered"),
    ),
    "fig:label_learning_scatter": (
        _descents("With centering", tables.CENTERED_CLASSES),
        _descents("Without centering", tables.UNCENTERED_CLASSES),
    ),
    "fig:auto_association_compare": (
        _descents("Mean absolute error", tables.RECONSTRUCTION),
        _descents("Average hidden activity", tables.HIDDEN_ACTIVITY),
    ),
}
"""The panels of each figure, by label."""


def tables_of(panels: Iterable[Panel]) -> tuple[str, ...]:
    """Return the tables that panels show."""
    sides = (side for panel in panels for side in (panel.x, panel.y))
    return tuple(dict.fromkeys(label for side in sides for label in side.family.labels))


def draw(context: Context, panels: Sequence[Panel]) -> Figure:
    """Draw panels with equal axes, our points over the printed ones."""
    points = [points_of(context, panel) for panel in panels]
    titles = [panel.title for panel in panels]
    figure, all_axes = named_panels(*titles, rows=len(panels) // 2, width=4.3, height=4.4)
    for axes, panel, shown in zip(all_axes, panels, points, strict=True):
        measure = panel.x.family.measure
        alike = [table for p, table in zip(panels, points, strict=True) if p.x.family.measure == measure]
        _draw_points(axes, shown, _limits(pd.concat(alike)))
        axes.set(xlabel=panel.x.measure, ylabel=panel.y.measure, aspect="equal")
    figure.set_layout_engine("compressed")  # the one for panels of equal axes: titles stay inside
    activations = set(pd.concat(points)["activation"])
    _legend(figure, all_axes[0], [name for name in plotting.ACTIVATION_COLORS if name in activations])
    return figure


def points_of(context: Context, panel: Panel) -> pd.DataFrame:
    """Return a line for each experiment that both sides have, with ours_x, ours_y, printed_x and printed_y.

    The activation of an auto-encoder is that of its hidden units.
    """
    x, y = (_numbers(context, side) for side in (panel.x, panel.y))
    settings = [name for name in x if name not in ("ours", "printed")]
    return x.merge(y, on=settings).rename(columns={"hidden_activation": "activation"})


def _numbers(context: Context, side: Side) -> pd.DataFrame:
    """Return the settings of each experiment of a side, apart from the side's own, with ours and printed."""
    labels, measure = side.family.labels, side.family.measure
    table = verdicts(context, labels)
    if not table["n"].any():  # a quick look need not measure what is committed
        table = verdicts(replace(context, effort=Effort()), labels)
    cells = pd.DataFrame([printed_rows()[row].cell for row in table["row"]], index=table.index)
    is_shown = (cells[list(side.cell)] == pd.Series(side.cell)).all(axis=1) & (table["measure"] == measure)
    return cells.join(table[["ours", "printed"]])[is_shown].drop(columns=list(side.cell))


def _limits(points: pd.DataFrame) -> tuple[float, float]:
    """Return the range of both axes, the same for all panels of one measure."""
    numbers = points.select_dtypes("number").to_numpy()
    low, high = min(0.0, float(np.nanmin(numbers))), float(np.nanmax(numbers))
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _draw_points(axes: Axes, points: pd.DataFrame, limits: tuple[float, float]) -> None:
    axes.plot(limits, limits, color="#666666", linewidth=0.8, zorder=1)
    for whose, mark in MARKS.items():
        measured = points.dropna(subset=[f"{whose}_x", f"{whose}_y"])
        for activation, color in plotting.ACTIVATION_COLORS.items():
            chosen = measured[measured["activation"] == activation]
            if len(chosen):
                axes.plot(chosen[f"{whose}_x"], chosen[f"{whose}_y"], linestyle="", color=color, **mark)
    axes.set(xlim=limits, ylim=limits)


def _legend(figure: Figure, axes: Axes, activations: Sequence[str]) -> None:
    entries = [("Measured", {"color": "#444444", **MARKS["ours"]})]
    entries += [("Printed", {"color": "#444444", **MARKS["printed"]})]
    for name in activations:
        square = {"marker": "s", "markersize": 7, "color": plotting.ACTIVATION_COLORS[name]}
        entries += [(ACTIVATION_TITLES.get(name, name.capitalize()), square)]
    handles = [axes.plot([], [], linestyle="", label=title, **style)[0] for title, style in entries]
    figure.legend(handles=handles, loc="outside lower center", frameon=False, ncols=8, fontsize=9)
