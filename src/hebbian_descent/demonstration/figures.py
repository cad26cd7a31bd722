"""Figures of the demonstration: recalled digits, forgetting curves, and errors by learning rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.demonstration.results import (
    ACTIVATIONS,
    RULES,
    SEED,
    UNCENTERED,
    Results,
    Setting,
)
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from hebbian_descent.sweep import Best, SweepResult, initial_weights
from hebbian_descent.sweep.selection import patterns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DIGITS = Setting("rand", "digits")
RANDOM = Setting("rand", "rand")
SHOWN = (1, 20, 40, 60, 80, 90, 95, 98, 99, 100)
"""The patterns whose recall is drawn, counted from the first learned."""


def draw_recall(results: Results) -> Figure:
    """Draw digits recalled from random patterns by each rule after one pass, the oldest on the left."""
    inputs, targets = draw_pair(DIGITS.input, DIGITS.target, seed=SEED)
    pictures = {"Stored": targets}
    for best in _with_sigmoid_units(results[DIGITS], "last20"):
        label = f"{plotting.RULE_STYLES[best.rule]['label']}\nerror {best.value:.3f}"
        pictures[label] = _recalled(best, inputs, targets)
    return _draw_pictures(pictures)


def _recalled(best: Best, inputs: Array, targets: Array) -> Array:
    """Return the outputs of trial 0 of a best setting, trained again."""
    weights = initial_weights(SEED, 0, inputs.shape[1], targets.shape[1])
    layer = Layer.from_weights(weights, activation=best.activation, offset=inputs.mean(axis=0))
    train(layer, inputs, targets, rule=best.rule, learning_rate=best.learning_rate)
    return layer.output(inputs)


def _draw_pictures(rows: Mapping[str, Array]) -> Figure:
    figure, panels = plotting.new_panels(len(SHOWN), len(rows), width=0.9, height=1.0)
    for place, axes in enumerate(panels):
        line, column = divmod(place, len(SHOWN))
        label, patterns = list(rows.items())[line]
        axes.imshow(patterns[SHOWN[column] - 1].reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
        axes.spines[:].set_visible(True)
        if column == 0:
            axes.set_ylabel(label, rotation=0, ha="right", va="center", fontsize=9)
        if line == 0:
            axes.set_title(f"{SHOWN[column]}", fontsize=9)
    return figure


def draw_curves(results: Results, setting: Setting = RANDOM) -> Figure:
    """Draw the error of each pattern at the learning rates that are best for all and for the last one."""
    result = results[setting]
    figure, panels = plotting.new_panels(2)
    for axes, by, words in zip(panels, ("all", "last"), ("all patterns", "the last pattern"), strict=True):
        found = _with_sigmoid_units(result, by)
        styles = [dict(plotting.RULE_STYLES[best.rule]) for best in found]
        for style, best in zip(styles, found, strict=True):
            style["label"] += f", $\\eta$ = {best.learning_rate:g}"
        values = {best.rule: best.per_pattern for best in found}
        spread = {best.rule: best.per_pattern_std for best in found}
        plotting.plot_patterns(axes, values, styles, spread)
        axes.set_xlabel("Pattern, in order of learning")
        _finish(axes, result, f"Best learning rate for {words}", "Mean absolute error")
        axes.legend(loc="upper right", frameon=False, fontsize=8)
    return figure


def draw_uncentered(results: Results) -> Figure:
    """Draw the curves without centering."""
    return draw_curves(results, UNCENTERED)


def draw_learning_rates(results: Results) -> Figure:
    """Draw the error of the last 20 patterns for every learning rate, for linear and for sigmoid units."""
    result = results[RANDOM]
    errors = result.errors()  # (rule, activation, learning_rate, weight_decay, trial, pattern)
    last = errors[..., patterns_of("last20", errors.shape[-1])].mean(axis=-1)[:, :, :, 0]
    figure, panels = plotting.new_panels(2)
    for i, axes in enumerate(panels):
        values = dict(zip(RULES, last[:, i].mean(axis=-1), strict=True))
        spread = dict(zip(RULES, last[:, i].std(axis=-1), strict=True))
        rates = np.asarray(result.axes["learning_rate"])
        plotting.plot_rates(axes, rates, values, plotting.styles(values), spread)
        _finish(axes, result, f"{ACTIVATIONS[i].capitalize()} units", "Error of the last 20 patterns")
    # For linear units both descents are the same rule: a wider line shows through.
    panels[0].lines[RULES.index("gradient_descent")].set(linewidth=5, markersize=7, alpha=0.6, zorder=1)
    panels[0].legend(loc="upper left", frameon=False, fontsize=8)
    return figure


def _finish(axes: Axes, result: SweepResult, title: str, measure: str) -> None:
    axes.axhline(result.baseline, **plotting.BASELINE_STYLE)
    axes.set_title(title, fontsize=11, loc="left")
    axes.set(ylabel=measure, ylim=(0, 1))


def _with_sigmoid_units(result: SweepResult, by: str) -> list[Best]:
    return [best for best in result.best(by) if best.activation == "sigmoid"]


class Exhibit(NamedTuple):
    """A figure of the page, in words."""

    name: str
    """Of its files."""
    title: str
    see: str
    """What a reader sees in it."""
    picture: str
    """What it looks like, for those who cannot see it."""
    draw: Callable[[Results], Figure]


EXHIBITS = (
    Exhibit(
        "recalled_digits",
        "Digits recalled from random patterns",
        "The upper row shows what was stored, the others what each rule recalls. The numbers count the "
        "pairs, so 100 is the pair seen last. Both descents bring the newest digits back clearly; Hebb's and "
        "the covariance rule only coarsely.",
        "Five rows of ten small images of digits: the stored ones, and below them what Hebbian-descent, "
        "gradient descent, Hebb's rule and the covariance rule recall, the oldest on the left.",
        draw_recall,
    ),
    Exhibit(
        "forgetting_centered",
        "Forgetting, with centering",
        "The error of every pair after one pass, the oldest on the left. Hebbian-descent knows the recent "
        "pairs best and lets old ones fade; the other rules recall old and new pairs about equally well.",
        "Two panels of error curves over 100 patterns. Hebbian-descent falls steadily from about 0.3 for the "
        "oldest to nearly 0 for the newest; gradient descent stays near 0.17, Hebb's and the covariance rule "
        "near 0.08, the baseline near 0.5.",
        draw_curves,
    ),
    Exhibit(
        "forgetting_uncentered",
        "Forgetting, without centering",
        "Only the covariance rule, which centers by itself, still remembers well. Hebb's rule does no better "
        "than always answering the mean (grey line).",
        "Two panels of error curves over 100 patterns. Hebb's rule lies on the baseline near 0.5, gradient "
        "descent near 0.4, Hebbian-descent near 0.3 with a sharp drop at the last patterns, the covariance "
        "rule near 0.16 throughout.",
        draw_uncentered,
    ),
    Exhibit(
        "learning_rates",
        "How much the learning rate matters",
        "With linear units both descents are the same rule, and only a narrow range of learning rates works. "
        "With sigmoid units Hebbian-descent does well over more than two decades of them.",
        "Two panels of error over learning rate on a logarithmic axis. Linear units: a valley near 0.02, "
        "then a steep rise. Sigmoid units: Hebbian-descent falls to below 0.1 and stays there, Hebb's and "
        "the covariance rule likewise, gradient descent rises again after a minimum near 0.17.",
        draw_learning_rates,
    ),
)
