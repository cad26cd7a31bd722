"""The figure of the study: dead units and returns over time, and dead units by learning rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent.paper.studies.base import Results, legend_below
from hebbian_descent.paper.studies.value_networks.findings import NATURAL, NEGATIVE, RATES, part_name
from hebbian_descent.paper.studies.value_networks.tasks import TASKS
from hebbian_descent.paper.studies.value_networks.variants import VARIANTS
from hebbian_descent.plotting import new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure(results: Results) -> Figure:
    """Draw one row per task."""
    tasks = results.settings["tasks"]
    drawn, panels = new_panels(3, len(tasks), width=3.6, height=2.9)
    for place, task in enumerate(tasks):
        dead, returns, by_rate = panels[3 * place : 3 * place + 3]
        _draw_over_time(results, place, dead, returns)
        _draw_by_rate(results, task, by_rate)
        dead.set_ylabel(f"{TASKS[task].title}: dead units")
        returns.set_ylabel("Return, recent episodes")
        by_rate.set_ylabel("Dead units at the end")
        for axes in (dead, by_rate):
            axes.set_ylim(-0.04, 1.04)
    legend_below(drawn, panels[0])
    return drawn


def _draw_over_time(results: Results, place: int, dead: Axes, returns: Axes) -> None:
    settings = results.settings
    steps = np.linspace(settings["warm_up"], settings["steps"][place], settings["looks"] + 1) / 1000
    for variant, (title, *_, style) in VARIANTS.items():
        for start, words, dashes in ((NATURAL, "", "-"), (NEGATIVE, ", negative start", "--")):
            numbers = results.parts.get(part_name(settings["tasks"][place], variant, start))
            if numbers is None:
                continue
            kind = {"color": style["color"], "linestyle": dashes, "label": title + words}
            dead.plot(steps, np.mean(numbers["dead"], axis=(1, 2)), **kind)
            returns.plot(steps, np.mean(numbers["returns"], axis=1), **kind)
    for axes in (dead, returns):
        axes.set_xlabel("Steps / 1,000")


def _draw_by_rate(results: Results, task: str, axes: Axes) -> None:
    for variant, (_, *_, style) in VARIANTS.items():
        numbers = results.parts[part_name(task, variant, RATES)]
        rates, at_end = np.array(numbers["runs"])[:, 0], np.array(numbers["dead"][-1])
        found = np.unique(rates)
        axes.plot(found, [at_end[rates == rate].mean() for rate in found], "o-", color=style["color"])
    axes.set_xscale("log")
    axes.set_xlabel("Learning rate")
