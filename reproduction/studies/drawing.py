"""Figures of studies: panels of lines, bars or points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hebbian_descent.plotting import BASELINE_STYLE, new_panels
from hebbian_descent.rules import rule_title
from reproduction.rows import Rows, by_repetition
from reproduction.studies.comparison import Comparison, by_axis

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
    errors: pd.DataFrame, titles: Mapping[str, str], y: str, panel: str = "", has_spread: bool = False
) -> Figure:
    """Draw means over draws, a group of bars per cell and a bar per rule, with standard deviations if asked.

    A broken line is the rule "baseline". Cells that differ in the level `panel` are in panels of their own.
    """
    values = errors.index.unique(panel) if panel else [""]
    drawn, panels = new_panels(len(values), width=9 / len(values))
    for axes, value in zip(panels, values, strict=True):
        mine = errors.xs(value, level=panel) if panel else errors
        heights, spread = (by_axis(each, "rule") for each in (mine.mean(axis=1), mine.std(axis=1).fillna(0)))
        width = 0.84 / len(titles)
        for number, (rule, color) in enumerate(zip(titles, cycle(COLORS))):
            places = np.arange(len(heights)) + width * (number - (len(titles) - 1) / 2)
            deviations = spread[rule] if has_spread else None
            axes.bar(places, heights[rule], 0.94 * width, yerr=deviations, color=color, label=titles[rule])
        for place, level in enumerate(heights["baseline"]):
            axes.plot([place - 0.45, place + 0.45], [level, level], **REFERENCE)
        axes.set_xticks(range(len(heights)), ["\n".join(np.atleast_1d(group)) for group in heights.index])
        axes.set_title(value, fontsize=11)
        axes.set_ylabel(y)
    return legend_below(drawn, panels[0])


def scatter(shown: Comparison, rows: Rows, panel: str, color: str) -> Figure:
    """Draw the second compared value over the first, a mark per cell and draw, in a panel per rule, say."""
    errors = by_repetition(rows, shown.measure)
    pair = [errors.xs(value, level=shown.axis) for value in shown.values]
    x, y = (f"{shown.measure.capitalize()}, {title}" for title in shown.values.values())
    titles = pair[0].index.unique(panel)
    drawn, several = new_panels(len(titles), width=4.2)
    highest = 1.05 * errors.max().max()
    for axes, title in zip(several, titles, strict=True):
        axes.plot([0, highest], [0, highest], **REFERENCE)
        for name, marker in zip(pair[0].index.unique(color), cycle("os^D")):
            points = (np.ravel(each.xs((title, name), level=(panel, color))) for each in pair)
            axes.plot(*points, marker, markersize=4, alpha=0.7, label=name)
        axes.set_title(rule_title(title), fontsize=11)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
    return legend_below(drawn, several[0])


def legend_below(figure: Figure, axes: Axes) -> Figure:
    """Put the legend of one panel below all of them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=3, fontsize=9)
    return figure
