"""Scatter figures of tables: each point compares two rules, or two settings of a rule, in one experiment.

A cross is a measured experiment, a faint dot the printed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.datasets import DatasetUnavailableError
from hebbian_descent.rules import rule_title
from reproduction.experiments import Experiment, Job, Measured
from reproduction.experiments.association import AssociationJob
from reproduction.experiments.auto_association import AutoAssociationJob
from reproduction.experiments.classification import ClassificationJob
from reproduction.figures.base import NotMeasuredError, PaperFigure, name_panels
from reproduction.measurements import run_jobs
from reproduction.printed import PrintedRow, printed_rows
from reproduction.results import Results
from reproduction.run_context import RunContext
from reproduction.tables import TABLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALL = frozenset({"rand", "randn", "adult"})
"""Datasets with few inputs, on which a quick look takes seconds."""

MOST_JOBS = 3


def printed_in(labels: Sequence[str]) -> list[PrintedRow]:
    """Return the printed rows of several tables."""
    return [row for label in labels for row in printed_rows(label)]


def measured_in(context: RunContext, labels: Sequence[str]) -> list[Measured]:
    """Return the measured rows of several tables; a quick look runs a small part of those never run."""
    results = Results(context.folder, context.effort)
    rows = {label: results.rows(label) for label in labels}
    missing = [label for label in labels if not rows[label]]
    if missing and not context.effort.quick:
        raise NotMeasuredError(
            f"The figure shows what was measured for {', '.join(labels)}. Got nothing for "
            f"{', '.join(missing)}: run them first, `{context.command('run', *missing)}`."
        )
    reasons: list[str] = []
    for label in missing:
        rows[label], without_data = run_jobs(TABLES[label], _small_jobs(TABLES[label], context), context)
        reasons += without_data
    found = [row for label in labels for row in rows[label]]
    if not found:
        raise DatasetUnavailableError(reasons[0])
    return found


def _small_jobs(experiment: Experiment, context: RunContext) -> list[Job]:
    """Return the first jobs on the first small datasets."""
    small = [job for job in experiment.jobs(replace(context.effort, draws=1)) if _datasets(job) <= SMALL]
    return [job for job in small if _datasets(job) == _datasets(small[0])][:MOST_JOBS]


def _datasets(job: Job) -> set[str]:
    if isinstance(job, AssociationJob):
        return {job.input_name, job.target_name}
    assert isinstance(job, (AutoAssociationJob, ClassificationJob))
    return {job.dataset}


Row = Measured | PrintedRow
Key = tuple[tuple[str, str], ...]
"""Datasets and activations: what identifies an experiment apart from what the axes compare."""

DOT: dict[str, Any] = {
    "linestyle": "",
    "marker": "o",
    "markersize": 7,
    "alpha": 0.3,
    "markeredgewidth": 0,
    "zorder": 2,
}
CROSS: dict[str, Any] = {"linestyle": "", "marker": "x", "markersize": 6, "markeredgewidth": 1.4, "zorder": 3}

ACTIVATION_TITLES = {"explin": "ExpLin"}


class Side(NamedTuple):
    """One axis: the rows that it shows."""

    title: str
    tables: tuple[str, ...]
    cell: Mapping[str, str]
    """What the rows have in common, such as the rule."""


class Panel(NamedTuple):
    """A scatter plot of one result: each experiment under two conditions."""

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


def scatter_figure(context: RunContext, panels: Sequence[Panel], columns: int = 2) -> Figure:
    """Draw panels with equal axes, our points over the printed ones."""
    points = [(ours(context, panel), as_printed(panel)) for panel in panels]
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


def ours(context: RunContext, panel: Panel) -> list[Point]:
    """Return the measured points, averaged over the draws."""
    return pair_up(panel, measured_in(context, panel.x.tables), measured_in(context, panel.y.tables))


def as_printed(panel: Panel) -> list[Point]:
    """Return the printed points."""
    return pair_up(panel, printed_in(panel.x.tables), printed_in(panel.y.tables))


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
    """The activation of the experiment; that of the hidden units if there are some."""
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
        title, color = ACTIVATION_TITLES.get(name, name.capitalize()), plotting.ACTIVATION_COLORS[name]
        handles += axes.plot([], [], linestyle="", marker="s", markersize=7, color=color, label=title)
    figure.legend(handles=handles, loc="outside lower center", frameon=False, ncols=8, fontsize=9)


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
    first, *others = (TABLES[table].protocol for table in tables)
    protocol = {name: value for name, value in first.items() if all(name in other for other in others)}
    return PaperFigure(
        label, TITLES[label], partial(scatter_figure, panels=panels), datasets, tables, protocol
    )


SCATTER_FIGURES = tuple(map(_figure, PANELS))
