"""Scatter plots of tables: one cross for each experiment measured here, a faint dot as it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.paper.experiments import Measured
from hebbian_descent.paper.figures.base import name_panels
from hebbian_descent.paper.figures.measured_rows import measured, printed
from hebbian_descent.paper.printed import PrintedRow
from hebbian_descent.paper.run_context import Place

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Measured | PrintedRow
Key = tuple[tuple[str, str], ...]
"""What an experiment is apart from what the two axes compare: datasets and activations."""

DOT: dict[str, Any] = {
    "linestyle": "",
    "marker": "o",
    "markersize": 7,
    "alpha": 0.3,
    "markeredgewidth": 0,
    "zorder": 2,
}
CROSS: dict[str, Any] = {"linestyle": "", "marker": "x", "markersize": 6, "markeredgewidth": 1.4, "zorder": 3}

TITLES = {"explin": "ExpLin"}


class Side(NamedTuple):
    """One axis: the rows that it shows."""

    title: str
    tables: tuple[str, ...]
    cell: Mapping[str, str]
    """What the rows have in common, as the rule."""


class Panel(NamedTuple):
    """A result on two sides, experiment by experiment."""

    title: str
    x: Side
    y: Side
    column: str = "mae_last20"
    what: str = "Error of the last 20"


class Point(NamedTuple):
    """An experiment in a panel."""

    activation: str
    x: float
    y: float


def scatter_figure(place: Place, panels: Sequence[Panel], columns: int = 2) -> Figure:
    """Draw panels whose axes have the same scale, ours over the printed."""
    points = [(ours(place, panel), as_printed(panel)) for panel in panels]
    figure, all_axes = plotting.new_panels(columns, len(panels) // columns, width=4.3, height=4.4)
    name_panels(all_axes, [panel.title for panel in panels])
    for axes, panel, (crosses, dots) in zip(all_axes, panels, points, strict=True):
        alike = (both for other, both in zip(panels, points, strict=True) if other.column == panel.column)
        _draw_points(axes, crosses, dots, _limits(point for both in alike for one in both for point in one))
        axes.set(xlabel=f"{panel.what}, {panel.x.title}", ylabel=f"{panel.what}, {panel.y.title}")
        axes.set_aspect("equal")
    activations = {point.activation for crosses, dots in points for point in (*crosses, *dots)}
    _legend(figure, all_axes[0], [name for name in plotting.ACTIVATION_COLORS if name in activations])
    return figure


def ours(place: Place, panel: Panel) -> list[Point]:
    """Return the points measured here, the mean over the draws of each."""
    return pair_up(panel, measured(place, panel.x.tables), measured(place, panel.y.tables))


def as_printed(panel: Panel) -> list[Point]:
    """Return the points as the paper's tables have them."""
    return pair_up(panel, printed(panel.x.tables), printed(panel.y.tables))


def pair_up(panel: Panel, x_rows: Iterable[Row], y_rows: Iterable[Row]) -> list[Point]:
    """Return a point for each experiment that both sides have."""
    x = _by_experiment(x_rows, panel.x.cell, panel.column)
    y = _by_experiment(y_rows, panel.y.cell, panel.column)
    return [Point(_activation(dict(key)), x[key], y[key]) for key in x if key in y]


def _by_experiment(rows: Iterable[Row], cell: Mapping[str, str], column: str) -> dict[Key, float]:
    found: dict[Key, list[float]] = {}
    for row in rows:
        if cell.items() <= row.cell.items():
            key = tuple(sorted(item for item in row.cell.items() if item[0] not in cell))
            found.setdefault(key, []).append(row.results[column])
    return {key: float(np.mean(values)) for key, values in found.items()}


def _activation(cell: Mapping[str, str]) -> str:
    """The activation that tells experiments apart: of the hidden units, where there are some."""
    return cell.get("hidden_activation") or cell["activation"]


def _limits(points: Iterable[Point]) -> tuple[float, float]:
    """Return the range of both axes, the same for all panels that show the same result."""
    everything = np.array([(point.x, point.y) for point in points])
    low, high = min(0.0, float(everything.min())), float(everything.max())
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _draw_points(
    axes: Axes, crosses: Sequence[Point], dots: Sequence[Point], limits: tuple[float, float]
) -> None:
    axes.plot(limits, limits, color="#666666", linewidth=0.8, zorder=1)
    for points, style in ((dots, DOT), (crosses, CROSS)):
        for activation, color in plotting.ACTIVATION_COLORS.items():
            chosen = [(point.x, point.y) for point in points if point.activation == activation]
            if chosen:
                axes.plot(*zip(*chosen, strict=True), color=color, **style)
    axes.set(xlim=limits, ylim=limits)


def _legend(figure: Figure, axes: Axes, activations: Sequence[str]) -> None:
    handles = [
        *axes.plot([], [], color="#444444", label="Measured", **CROSS),
        *axes.plot([], [], color="#444444", label="Printed", **DOT),
    ]
    for name in activations:
        title, color = TITLES.get(name, name.capitalize()), plotting.ACTIVATION_COLORS[name]
        handles += axes.plot([], [], linestyle="", marker="s", markersize=7, color=color, label=title)
    figure.legend(handles=handles, loc="outside lower center", frameon=False, ncols=8, fontsize=9)
