"""How figures look: one palette that colour-blind readers can tell apart, one way to write files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent.checks import Array, require_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RULE_STYLES: dict[str, dict[str, Any]] = {
    "hebbian_descent": {"color": "#D55E00", "linestyle": "-", "label": "Hebbian-descent"},
    "gradient_descent": {"color": "#0072B2", "linestyle": "-", "label": "Gradient descent"},
    "hebb": {"color": "#009E73", "linestyle": "--", "label": "Hebb's rule"},
    "covariance": {"color": "#CC79A7", "linestyle": ":", "label": "Covariance rule"},
}
BASELINE_STYLE: dict[str, Any] = {
    "color": "#666666",
    "linestyle": "-.",
    "linewidth": 1.2,
    "label": "Baseline",
}


def new_figure(width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return an empty figure with one set of axes, without touching matplotlib's global state."""
    figure_module = require_extra("matplotlib.figure", extra="paper", purpose="Drawing a figure")
    figure = figure_module.Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    return figure, axes


def forgetting_curve(errors: Mapping[str, Array], baseline: float, title: str) -> Figure:
    """Draw the error of each pattern after one pass, the oldest on the left, one line a rule."""
    figure, axes = new_figure()
    for rule, values in errors.items():
        axes.plot(np.arange(1, len(values) + 1), values, linewidth=1.8, **RULE_STYLES[rule])
    axes.axhline(baseline, **BASELINE_STYLE)
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("Pattern, in order of learning (the most recent on the right)")
    axes.set_ylabel("Mean absolute error")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    figure.legend(loc="outside lower center", frameon=False, ncols=len(errors) + 1, fontsize=9)
    return figure


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG and return the two paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    for path in paths:
        figure.savefig(path, dpi=150)
    return paths
