"""Plotting: one palette that colour-blind readers can distinguish, and one way to write files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent.checks import Array, require_extra
from hebbian_descent.rules import rule_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "ACTIVATION_COLORS",
    "BASELINE_STYLE",
    "OTHER_COLORS",
    "RULE_STYLES",
    "forgetting_curve",
    "learning_rate_curve",
    "new_figure",
    "new_panels",
    "plot_patterns",
    "plot_rates",
    "save_figure",
    "styles",
]

RULE_STYLES: dict[str, dict[str, Any]] = {
    rule: {"color": color, "linestyle": dashes, "label": rule_title(rule)}
    for rule, color, dashes in (
        ("hebbian_descent", "#D55E00", "-"),
        ("gradient_descent", "#0072B2", "-"),
        ("hebb", "#009E73", "--"),
        ("covariance", "#CC79A7", ":"),
    )
}
"""Colour, dashes and display name of each rule, as keywords for matplotlib."""
BASELINE_STYLE: dict[str, Any] = {
    "color": "#666666",
    "linestyle": "-.",
    "linewidth": 1.2,
    "label": "Baseline",
}
ACTIVATION_COLORS = {
    "linear": "#000000",
    "explin": "#E69F00",
    "rectifier": "#56B4E9",
    "sigmoid": "#D55E00",
    "step": "#009E73",
    "softmax": "#CC79A7",
}
"""For figures that compare activations and show no rules."""
OTHER_COLORS = ("#E69F00", "#56B4E9", "#000000", "#F0E442")
DASHES = ("-", "--", ":", (0, (5, 1, 1, 1)), (0, (3, 1, 1, 1, 1, 1)))


def styles(labels: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a style per label: that of the rule it begins with, with different dashes for the same rule."""
    seen: dict[str, int] = {}
    others = cycle(OTHER_COLORS)
    for label in labels:
        rule, _, rest = label.partition(", ")
        if rule not in RULE_STYLES:
            yield {"color": next(others), "label": label}
            continue
        style = dict(RULE_STYLES[rule])
        if rest:
            style["label"] = f"{style['label']}, {rest}"
            style["linestyle"] = DASHES[seen.get(rule, 0) % len(DASHES)]
            seen[rule] = seen.get(rule, 0) + 1
        yield style


def new_figure(width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return an empty figure with one set of axes, without touching matplotlib's global state."""
    figure, (axes,) = new_panels(1, width=width, height=height)
    return figure, axes


def new_panels(
    columns: int,
    rows: int = 1,
    *,
    width: float = 4.6,
    height: float = 4.0,
    width_ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure and its panels, row by row; width and height are those of one panel."""
    figure_module = require_extra("matplotlib.figure", extra="results", purpose="Drawing a figure")
    figure = figure_module.Figure(figsize=(columns * width, rows * height), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False, width_ratios=width_ratios).flat)
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25, linewidth=0.6)
    return figure, panels


def plot_patterns(
    axes: Axes,
    values: Mapping[str, Array],
    line_styles: Iterable[Mapping[str, Any]],
    spread: Mapping[str, Array] | None = None,
) -> None:
    """Draw one number per pattern into axes, the oldest on the left, with a band of `spread`."""
    for (label, line), style in zip(values.items(), line_styles, strict=True):
        steps = np.arange(1, len(line) + 1)
        axes.plot(steps, line, linewidth=1.8, **style)
        if spread is not None:
            band = spread[label]
            axes.fill_between(steps, line - band, line + band, color=style["color"], alpha=0.15, linewidth=0)
    axes.set_xlabel("Pattern, in order of learning (the most recent on the right)")
    axes.margins(x=0.01)


def plot_rates(
    axes: Axes,
    learning_rates: Array,
    values: Mapping[str, Array],
    line_styles: Iterable[Mapping[str, Any]],
    spread: Mapping[str, Array] | None = None,
) -> None:
    """Draw one number per learning rate into axes; gaps are learning rates that diverged."""
    order = np.argsort(learning_rates)
    rates = learning_rates[order]
    for (label, line), style in zip(values.items(), line_styles, strict=True):
        axes.plot(rates, line[order], linewidth=1.8, marker="o", markersize=3, **style)
        if spread is not None:
            low, high = (line - spread[label])[order], (line + spread[label])[order]
            axes.fill_between(rates, low, high, color=style["color"], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_xlabel("Learning rate")


def forgetting_curve(
    values: Mapping[str, Array],
    *,
    spread: Mapping[str, Array] | None = None,
    baseline: float | None = None,
    title: str = "",
    measure: str = "Mean absolute error",
) -> Figure:
    """Draw one number per pattern, the oldest on the left, one line per rule, with a band of `spread`."""
    figure, axes = new_figure()
    plot_patterns(axes, values, styles(values), spread)
    _finish(figure, axes, baseline, title, measure)
    return figure


def learning_rate_curve(
    learning_rates: Array,
    values: Mapping[str, Array],
    *,
    baseline: float | None = None,
    title: str = "",
    measure: str = "Mean absolute error",
) -> Figure:
    """Draw the result of each learning rate, one line per rule; gaps are learning rates that diverged."""
    figure, axes = new_figure()
    plot_rates(axes, learning_rates, values, styles(values))
    _finish(figure, axes, baseline, title, measure)
    if baseline is not None:
        axes.set_ylim(0, 2 * baseline)  # anything worse is of no interest
    return figure


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG and return the two paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    save_svg(figure, paths[0])
    figure.savefig(paths[1], dpi=150)
    return paths


def save_svg(figure: Figure, path: Path) -> None:
    """Write a figure as SVG; the same drawing gives the same bytes: no date, no random identifiers."""
    matplotlib = require_extra("matplotlib", extra="results", purpose="Drawing a figure")
    with matplotlib.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(path, dpi=150, metadata={"Date": None})


def _finish(figure: Figure, axes: Axes, baseline: float | None, title: str, measure: str) -> None:
    if baseline is not None:
        axes.axhline(baseline, **BASELINE_STYLE)
    axes.set_title(title, fontsize=11)
    axes.set_ylabel(measure)
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", frameon=False, ncols=3, fontsize=9)
