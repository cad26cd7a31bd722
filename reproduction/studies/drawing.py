"""Figures of studies: panels of lines, bars or points, drawn from tables with a column per legend entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hebbian_descent.plotting import BASELINE_STYLE, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Those of the library's figures, which colour-blind readers can distinguish."""
REFERENCE = {**BASELINE_STYLE, "label": None}


def lines(
    panels: Mapping[str, pd.DataFrame], styles: Sequence[Mapping[str, Any]], x: str = "", y: str = ""
) -> Figure:
    """Draw a line per column over the index, a panel per title, on logarithmic axes."""
    drawn, several = new_panels(len(panels), width=10 / len(panels), height=3.6)
    for axes, (title, values) in zip(several, panels.items(), strict=True):
        for (name, column), style in zip(values.items(), styles, strict=False):
            axes.plot(values.index, column, label=name, **style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(values.index, [f"{value:g}" for value in values.index])
        axes.minorticks_off()
        axes.set_title(title, fontsize=11)
        axes.set_xlabel(x)
    several[0].set_ylabel(y)
    return legend_below(drawn, several[0])


def bars(
    heights: Mapping[str, pd.DataFrame],
    y: str,
    baseline: Mapping[str, Sequence[float]],
    deviations: Mapping[str, pd.DataFrame] | None = None,
) -> Figure:
    """Draw a group of bars per line and a bar per column, with a broken line across each group."""
    drawn, panels = new_panels(len(heights), width=9 / len(heights))
    for axes, (title, table) in zip(panels, heights.items(), strict=True):
        width = 0.84 / len(table.columns)
        for number, (name, color) in enumerate(zip(table, cycle(COLORS))):
            places = np.arange(len(table)) + width * (number - (len(table.columns) - 1) / 2)
            spread = None if deviations is None else deviations[title][name]
            axes.bar(places, table[name], 0.94 * width, yerr=spread, color=color, label=name)
        for place, level in enumerate(baseline[title]):
            axes.plot([place - 0.45, place + 0.45], [level, level], **REFERENCE)
        axes.set_xticks(range(len(table)), ["\n".join(np.atleast_1d(group)) for group in table.index])
        axes.set_title(title, fontsize=11)
        axes.set_ylabel(y)
    return legend_below(drawn, panels[0])


def scatter(panels: Mapping[str, Sequence[pd.DataFrame]], level: str, x: str, y: str) -> Figure:
    """Draw a table over another, a mark per cell and draw, in a colour per value of a level."""
    drawn, several = new_panels(len(panels), width=4.2)
    highest = 1.05 * max(float(table.to_numpy().max()) for pair in panels.values() for table in pair)
    for axes, (title, pair) in zip(several, panels.items(), strict=True):
        axes.plot([0, highest], [0, highest], **REFERENCE)
        for name, marker in zip(pair[0].index.unique(level), cycle("os^D")):
            points = (np.ravel(table.xs(name, level=level)) for table in pair)
            axes.plot(*points, marker, markersize=4, alpha=0.7, label=name)
        axes.set_title(title, fontsize=11)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
    return legend_below(drawn, several[0])


def legend_below(figure: Figure, axes: Axes) -> Figure:
    """Put the legend of one panel below all of them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=3, fontsize=9)
    return figure
