"""Error curves: how well each pattern is recalled after all were learned one at a time.

Paper: sec:HD_hetero_associative_learning
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hebbian_descent import plotting
from hebbian_descent.datasets import draw_pair
from hebbian_descent.paper.effort import QUICK_RATES
from hebbian_descent.paper.experiments.association import PROTOCOL
from hebbian_descent.paper.run_context import Place
from hebbian_descent.sweep import SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RULES = ("gradient_descent", "hebbian_descent", "hebb", "covariance")

QUICK: dict[str, Any] = {"learning_rates": QUICK_RATES, "trials": 2}


def learned(
    place: Place,
    pair: tuple[str, str],
    activations: str | tuple[str, ...] = "sigmoid",
    quick: dict[str, Any] | None = None,
    **settings: Any,
) -> SweepResult:
    """Learn a pair of datasets by all rules with the protocol of the tables, on their first draw."""
    protocol = place.effort.applied_to({**PROTOCOL, **settings}, {**QUICK, **(quick or {})})
    order = protocol.pop("input_order")
    inputs, targets = draw_pair(*pair, protocol.pop("patterns"), seed=0, input_order=order)
    return place.sweep(inputs, targets, rules=RULES, activations=activations, **protocol)


def plot_errors(axes: Axes, result: SweepResult, by: str, top: float = 1.0) -> None:
    """Draw the error of each pattern at the best setting of each rule, with its spread over the trials."""
    best = {found.rule: found for found in result.best(by)}
    styles = []
    for rule, found in best.items():
        style = dict(plotting.RULE_STYLES[rule])
        style["label"] += f", $\\eta$ = {found.learning_rate:g}"
        if len(result.axes["weight_decay"]) > 1:
            style["label"] += f", $\\omega$ = {found.weight_decay:g}"
        styles.append(style)
    lines = {rule: found.per_pattern for rule, found in best.items()}
    spread = {rule: found.per_pattern_std for rule, found in best.items()}
    plotting.plot_patterns(axes, lines, styles, spread)
    axes.axhline(result.baseline, **plotting.BASELINE_STYLE)
    axes.set(ylabel="Mean absolute error", ylim=(0, top), xlabel="Pattern, in order of learning")
    axes.legend(loc="upper right", frameon=False, fontsize=8)
