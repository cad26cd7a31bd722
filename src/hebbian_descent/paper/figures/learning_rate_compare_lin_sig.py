"""How much depends on the learning rate, for units that saturate and for those that do not.

Paper: fig:learning_rate_compare_lin_sig
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.paper.figures.base import PaperFigure, name_panels
from hebbian_descent.paper.figures.curves import learned
from hebbian_descent.paper.run_context import Place
from hebbian_descent.sweep.selection import patterns_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACTIVATIONS = ("linear", "sigmoid")


def draw(place: Place) -> Figure:
    """Draw the error of the last 20 patterns for every learning rate."""
    result = learned(place, ("rand", "rand"), ACTIVATIONS)
    errors = result.errors()  # over rule, activation, learning rate, decay, trial and pattern
    last = errors[..., patterns_of("last20", errors.shape[-1])].mean(axis=-1)[:, :, :, 0]
    rules = [str(rule) for rule in result.axes["rule"]]
    figure, panels = plotting.new_panels(2)
    name_panels(panels, ["Linear units", "Sigmoid units"])
    for i, axes in enumerate(panels):
        values = dict(zip(rules, last[:, i].mean(axis=-1), strict=True))
        spread = dict(zip(rules, last[:, i].std(axis=-1), strict=True))
        rates = np.asarray(result.axes["learning_rate"])
        plotting.plot_rates(axes, rates, values, plotting.styles(values), spread)
        axes.axhline(result.baseline, **plotting.BASELINE_STYLE)
        axes.set(ylabel="Mean absolute error of the last 20 patterns", ylim=(0, 1))
    # Linear units make gradient descent and Hebbian-descent the same: let the one be seen below the other.
    panels[0].lines[rules.index("gradient_descent")].set(linewidth=5, markersize=7, alpha=0.6)
    panels[0].legend(loc="upper left", frameon=False, fontsize=8)
    return figure


FIGURE = PaperFigure(
    "fig:learning_rate_compare_lin_sig",
    "RAND→RAND: error by learning rate, linear and sigmoid units",
    draw,
    frozenset({"rand"}),
)
