"""Robustness to the learning rate: how good is each rule if the best rate is unknown?

python examples/gallery/learning_rate_robustness.py [FILE]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import datasets
from hebbian_descent.plotting import BASELINE_STYLE, RULE_STYLES
from hebbian_descent.sweep import SweepResult, sweep
from hebbian_descent.sweep.grids import LEARNING_RATES

CENTERING: dict[str, Any] = {"Centered cues": "mean", "Cues as they are": None}


def results() -> dict[str, SweepResult]:
    """Learn 100 pairs once with every rule and rate, ten initial weights each, with and without centering."""
    cues, targets = datasets.draw_pair("rand", "connect_positions", 100, seed=0)
    return {
        title: sweep(
            cues,
            targets,
            rules=list(RULE_STYLES),
            activations="sigmoid",
            learning_rates=LEARNING_RATES,
            trials=10,
            centering=centering,
        )
        for title, centering in CENTERING.items()
    }


def draw(found: dict[str, SweepResult]) -> Figure:
    """Draw error over rate; bars below span the rates that are better than answering with the mean."""
    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (title, result) in zip(panels, found.items(), strict=True):
        costs = result.costs(by="all")[:, 0, :, 0]  # (rule, learning rate)
        for row, rule in enumerate(result.axes["rule"]):
            _draw_rule(axes, result, costs[row], RULE_STYLES[rule], place=-0.02 - 0.02 * row)
        axes.axhline(result.baseline, **{**BASELINE_STYLE, "label": "Always the mean target"})
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(title=title, xscale="log", xlabel="Learning rate", ylim=(-0.08, 0.55))
        axes.set_yticks(np.arange(0, 0.6, 0.1))
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.grid(alpha=0.25, linewidth=0.6)
    panels[0].set_ylabel("Error of a unit, all 100 pairs")
    legend = panels[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw_rule(axes: Any, result: SweepResult, cost: Any, style: dict[str, Any], place: float) -> None:
    order = np.argsort(result.axes["learning_rate"])
    rates, cost = result.axes["learning_rate"][order], cost[order]
    axes.plot(rates, np.where(np.isfinite(cost), cost, np.nan), linewidth=1.8, **style)
    useful = rates[cost < result.baseline]
    if len(useful):
        axes.plot(useful[[0, -1]], [place, place], color=style["color"], linewidth=5, solid_capstyle="butt")


def main(path: str) -> None:
    """Sweep and draw."""
    draw(results()).savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "learning_rate_robustness.png")
