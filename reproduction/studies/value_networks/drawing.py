"""The figure of the study: dead units and returns, over the steps of learning and by learning rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent.plotting import new_panels
from reproduction.studies.base import Results, legend_below
from reproduction.studies.value_networks.findings import (
    NATURAL,
    NEGATIVE,
    RATES,
    late_returns,
    part_name,
)
from reproduction.studies.value_networks.tasks import TASKS
from reproduction.studies.value_networks.variants import VARIANTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4


def figure(results: Results) -> Figure:
    """Draw one row per task; linear outputs do not die, and are drawn where returns are."""
    tasks = results.settings["tasks"]
    drawn, panels = new_panels(COLUMNS, len(tasks), width=3.1, height=2.7)
    for place, task in enumerate(tasks):
        row = panels[COLUMNS * place : COLUMNS * (place + 1)]
        _draw_over_time(results, place, *row[:2])
        _draw_by_rate(results, task, *row[2:])
        row[0].set_ylabel(f"{TASKS[task].title}: dead units")
        row[1].set_ylabel("Return, recent episodes")
        row[2].set_ylabel("Dead units at the end")
        row[3].set_ylabel("Return, last fifth")
        for axes in row[::2]:
            axes.set_ylim(-0.04, 1.04)
        for axes in row[1::2]:
            axes.set_ylim(bottom=0)
    legend_below(drawn, panels[1])
    return drawn


def _draw_over_time(results: Results, place: int, dead: Axes, returns: Axes) -> None:
    settings = results.settings
    steps = np.linspace(settings["warm_up"], settings["steps"][place], settings["looks"] + 1) / 1000
    for name, variant in VARIANTS.items():
        for start, words, dashes in ((NATURAL, "", "-"), (NEGATIVE, ", negative start", "--")):
            numbers = results.parts.get(part_name(settings["tasks"][place], name, start))
            if numbers is None:
                continue
            style: dict[str, Any] = {
                "color": variant.color,
                "linestyle": dashes,
                "label": variant.title + words,
            }
            returns.plot(steps, np.mean(numbers["returns"], axis=1), **style)
            if variant.is_rectified:
                dead.plot(steps, np.mean(numbers["dead"], axis=(1, 2)), **style)
    for axes in (dead, returns):
        axes.set_xlabel("Steps / 1,000")


def _draw_by_rate(results: Results, task: str, dead: Axes, returns: Axes) -> None:
    for name, variant in VARIANTS.items():
        numbers = results.parts[part_name(task, name, RATES)]
        rates, late = np.array(numbers["runs"])[:, 0], late_returns(numbers)
        at_end = np.array(numbers["dead"][-1]).mean(axis=1)
        found = np.unique(rates)
        for axes, values in ((dead, at_end), (returns, late)):
            if axes is returns or variant.is_rectified:
                means = [values[rates == rate].mean() for rate in found]
                axes.plot(found, means, "o-", markersize=4, color=variant.color)
    for axes in (dead, returns):
        axes.set_xscale("log")
        axes.set_xlabel("Learning rate")
