"""Error curves: how well each pattern is recalled after all were learned one at a time.

A figure is a tuple of panels, and a panel a sweep over one pair of datasets.

Paper: sec:HD_hetero_associative_learning
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.datasets import draw_pair
from hebbian_descent.sweep import Best, SweepResult
from hebbian_descent.sweep.grids import QUICK_DECAYS, QUICK_RATES, WEIGHT_DECAYS
from hebbian_descent.sweep.selection import patterns_of
from reproduction.context import Context
from reproduction.experiments.association import PROTOCOL
from reproduction.figures.parts import Axes, Figure, named_panels

RULES = ("gradient_descent", "hebbian_descent", "hebb", "covariance")
QUICK: dict[str, Any] = {"learning_rates": QUICK_RATES, "trials": 2}
QUICK_FORMS: dict[str, Any] = {"patterns": 300, "weight_decays": QUICK_DECAYS}
"""What a quick look takes instead of a panel's own settings."""
MANY_PATTERNS = 100
"""Curves of more points are ragged, and drawn with thin lines."""


class Panel(NamedTuple):
    """The error of each pattern for one pair of datasets, at the best learning rate of each rule."""

    title: str
    """May name {n}, the number of patterns."""
    pair: tuple[str, str]
    by: str
    """The patterns by which the learning rate is chosen."""
    settings: Mapping[str, Any] = {}
    """What differs from the protocol of the tables."""


RAND_RAND, RAND_ADULT, ADULT_RAND = ("rand", "rand"), ("rand", "adult"), ("adult", "rand")
FOR_ALL, FOR_LAST = "Best learning rate for all patterns", "Best learning rate for the last pattern"
UNCENTERED, LONG, DECAY = {"centering": None}, {"patterns": 1000}, {"weight_decays": WEIGHT_DECAYS}
PANELS: dict[str, tuple[Panel, ...]] = {
    "fig:rand_rand_sigmoid_false_online": (
        Panel(FOR_ALL, RAND_RAND, "all", UNCENTERED),
        Panel(FOR_LAST, RAND_RAND, "last", UNCENTERED),
    ),
    "fig:rand_rand_sigmoid_true_online": (
        Panel(FOR_ALL, RAND_RAND, "all"),
        Panel(FOR_LAST, RAND_RAND, "last"),
    ),
    "fig:adult_rand_sigmoid_true_online": (
        Panel("RAND→ADULT", RAND_ADULT, "all"),
        Panel("ADULT→RAND", ADULT_RAND, "all"),
    ),
    "fig:long_training_rand_adult": (
        Panel("RAND→RAND, {n} patterns", RAND_RAND, "last20", LONG),
        Panel("RAND→ADULT, {n} patterns", RAND_ADULT, "last20", LONG),
    ),
    # Text and caption disagree about the data of (a) and (b), so all three pairs are drawn.
    "fig:rand_adult_weightdecay": (
        Panel("RAND→RAND, (a) in the text", RAND_RAND, "last20", DECAY),
        Panel("RAND→ADULT, (a) in the caption", RAND_ADULT, "last20", DECAY),
        Panel("ADULT→RAND, (b) in the caption", ADULT_RAND, "last20", DECAY),
    ),
}
"""The panels of each figure, by label."""


def learned(
    context: Context,
    pair: tuple[str, str],
    rules: str | tuple[str, ...] = RULES,
    activations: str | tuple[str, ...] = "sigmoid",
    **settings: Any,
) -> SweepResult:
    """Learn a pair of datasets with the protocol of the tables, on their first draw."""
    quick = QUICK | {name: QUICK_FORMS[name] for name in settings if name in QUICK_FORMS}
    protocol = context.effort.applied_to({**PROTOCOL, **settings}, quick)
    order = protocol.pop("input_order")
    inputs, targets = draw_pair(*pair, protocol.pop("patterns"), seed=0, input_order=order)
    return context.sweep(inputs, targets, rules=rules, activations=activations, **protocol)


def draw(context: Context, panels: Sequence[Panel]) -> Figure:
    """Draw the error of each pattern, one panel per pair of datasets or per choice of learning rate."""
    results = [learned(context, panel.pair, **panel.settings) for panel in panels]
    numbers = [len(result.axes["pattern"]) for result in results]
    titles = [panel.title.format(n=n) for panel, n in zip(panels, numbers, strict=True)]
    figure, all_axes = named_panels(*titles)
    for axes, panel, result in zip(all_axes, panels, results, strict=True):
        best, has_decay = result.best(panel.by), len(result.axes["weight_decay"]) > 1
        plot_errors(axes, best, [_style(found, has_decay) for found in best], result.baseline)
        axes.set_ylim(0, 1)
        axes.legend(loc="upper right", frameon=False, fontsize=8)
    return figure


def _style(found: Best, has_decay: bool) -> dict[str, Any]:
    """Return the style of a rule, with its best setting in the label."""
    style = dict(plotting.RULE_STYLES[found.rule])
    style["label"] += f", $\\eta$ = {found.learning_rate:g}"
    style["label"] += f", $\\omega$ = {found.weight_decay:g}" if has_decay else ""
    return style


def plot_errors(
    axes: Axes, best: Sequence[Best], styles: Sequence[Mapping[str, Any]], baseline: float
) -> None:
    """Draw the error of each pattern in the best runs, with its spread over the trials."""
    lines = {style["label"]: found.per_pattern for style, found in zip(styles, best, strict=True)}
    spread = {style["label"]: found.per_pattern_std for style, found in zip(styles, best, strict=True)}
    plotting.plot_patterns(axes, lines, styles, spread)
    axes.axhline(baseline, **plotting.BASELINE_STYLE)
    axes.set(ylabel="Mean absolute error", xlabel="Pattern, in order of learning")
    if len(best[0].per_pattern) > MANY_PATTERNS:
        for line in axes.lines:
            line.set_linewidth(1)


def draw_learning_rates(context: Context) -> Figure:
    """Draw the error of the last 20 patterns for every learning rate, for linear and for sigmoid units."""
    result = learned(context, ("rand", "rand"), activations=("linear", "sigmoid"))
    errors = result.errors()  # (rule, activation, learning rate, decay, trial, pattern)
    last = errors[..., patterns_of("last20", errors.shape[-1])].mean(axis=-1)[:, :, :, 0]
    rules = [str(rule) for rule in result.axes["rule"]]
    rates = np.asarray(result.axes["learning_rate"])
    figure, panels = named_panels("Linear units", "Sigmoid units")
    for i, axes in enumerate(panels):
        values = dict(zip(rules, last[:, i].mean(axis=-1), strict=True))
        spread = dict(zip(rules, last[:, i].std(axis=-1), strict=True))
        plotting.plot_rates(axes, rates, values, plotting.styles(values), spread)
        axes.axhline(result.baseline, **plotting.BASELINE_STYLE)
        axes.set(ylabel="Mean absolute error of the last 20 patterns", ylim=(0, 1))
    # For linear units gradient descent and Hebbian-descent coincide: a wider line shows through.
    panels[0].lines[rules.index("gradient_descent")].set(linewidth=5, markersize=7, alpha=0.6)
    panels[0].legend(loc="upper left", frameon=False, fontsize=8)
    return figure
