"""Error curves: how well each pattern is recalled after all were learned one at a time.

Each figure is a tuple of panels, and each panel a sweep over one pair of datasets.

Paper: sec:HD_hetero_associative_learning
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hebbian_descent import plotting
from hebbian_descent.datasets import draw_pair
from hebbian_descent.sweep import SweepResult
from hebbian_descent.sweep.selection import patterns_of
from reproduction.experiments.association import PROTOCOL
from reproduction.figures.base import PaperFigure, name_panels
from reproduction.grids import QUICK_DECAYS, QUICK_RATES, WEIGHT_DECAYS
from reproduction.run_context import RunContext

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RULES = ("gradient_descent", "hebbian_descent", "hebb", "covariance")

QUICK: dict[str, Any] = {"learning_rates": QUICK_RATES, "trials": 2}


class Panel(NamedTuple):
    """The error of each pattern for one pair of datasets, at the best learning rate of each rule."""

    title: str
    """May name {n}, the number of patterns."""
    pair: tuple[str, str]
    by: str
    """The patterns by which the learning rate is chosen."""
    settings: Mapping[str, Any] = {}
    """What differs from the protocol of the tables."""
    quick: Mapping[str, Any] = {}
    line_width: float | None = None


def learned(
    context: RunContext,
    pair: tuple[str, str],
    activations: str | tuple[str, ...] = "sigmoid",
    quick: Mapping[str, Any] | None = None,
    **settings: Any,
) -> SweepResult:
    """Learn a pair of datasets by all rules with the protocol of the tables, on their first draw."""
    protocol = context.effort.applied_to({**PROTOCOL, **settings}, {**QUICK, **(quick or {})})
    order = protocol.pop("input_order")
    inputs, targets = draw_pair(*pair, protocol.pop("patterns"), seed=0, input_order=order)
    return context.sweep(inputs, targets, rules=RULES, activations=activations, **protocol)


def draw_curves(context: RunContext, panels: tuple[Panel, ...]) -> Figure:
    """Draw the error of each pattern, one panel per pair of datasets or per choice of learning rate."""
    results = [learned(context, panel.pair, quick=panel.quick, **panel.settings) for panel in panels]
    figure, all_axes = plotting.new_panels(len(panels))
    titles = (
        panel.title.format(n=len(result.axes["pattern"]))
        for panel, result in zip(panels, results, strict=True)
    )
    name_panels(all_axes, list(titles))
    for axes, panel, result in zip(all_axes, panels, results, strict=True):
        plot_errors(axes, result, panel.by)
        if panel.line_width is not None:
            for line in axes.lines:
                line.set_linewidth(panel.line_width)
    return figure


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


def draw_learning_rates(context: RunContext) -> Figure:
    """Draw the error of the last 20 patterns for every learning rate, for linear and for sigmoid units."""
    result = learned(context, ("rand", "rand"), ("linear", "sigmoid"))
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
    # For linear units gradient descent and Hebbian-descent coincide: a wider line shows through.
    panels[0].lines[rules.index("gradient_descent")].set(linewidth=5, markersize=7, alpha=0.6)
    panels[0].legend(loc="upper left", frameon=False, fontsize=8)
    return figure


def _two_choices(centering: str | None) -> tuple[Panel, ...]:
    return tuple(
        Panel(f"Best learning rate for {words}", ("rand", "rand"), by, {"centering": centering})
        for by, words in (("all", "all patterns"), ("last", "the last pattern"))
    )


def _curves(label: str, title: str, panels: tuple[Panel, ...]) -> PaperFigure:
    datasets = frozenset(name for panel in panels for name in panel.pair)
    protocol = {**PROTOCOL, **panels[0].settings}
    return PaperFigure(label, title, partial(draw_curves, panels=panels), datasets, protocol=protocol)


WITHOUT_CENTERING = _curves(
    "fig:rand_rand_sigmoid_false_online",
    "RAND→RAND without centering: error of each pattern",
    _two_choices(None),
)
WITH_CENTERING = _curves(
    "fig:rand_rand_sigmoid_true_online",
    "RAND→RAND with centering: error of each pattern",
    _two_choices("mean"),
)
REAL_PATTERNS = _curves(
    "fig:adult_rand_sigmoid_true_online",
    "RAND→ADULT and back with centering: error of each pattern",
    (Panel("RAND→ADULT", ("rand", "adult"), "all"), Panel("ADULT→RAND", ("adult", "rand"), "all")),
)
LONG_TRAINING = _curves(
    "fig:long_training_rand_adult",
    "1000 patterns with centering: error of each pattern",
    tuple(
        # A thousand points are ragged: thin lines.
        Panel(
            f"{title}, {{n}} patterns", pair, "last20", {"patterns": 1000}, {"patterns": 300}, line_width=1.0
        )
        for title, pair in {"RAND→RAND": ("rand", "rand"), "RAND→ADULT": ("rand", "adult")}.items()
    ),
)
# Text and caption disagree about the data: the text has RAND→RAND in (a) and RAND→ADULT in (b), the caption
# RAND→ADULT in (a) and ADULT→RAND in (b). All three are drawn.
WITH_WEIGHT_DECAY = _curves(
    "fig:rand_adult_weightdecay",
    "RAND and ADULT with weight decay: error of each pattern",
    tuple(
        Panel(title, pair, "last20", {"weight_decays": WEIGHT_DECAYS}, {"weight_decays": QUICK_DECAYS})
        for title, pair in {
            "RAND→RAND, (a) in the text": ("rand", "rand"),
            "RAND→ADULT, (a) in the caption": ("rand", "adult"),
            "ADULT→RAND, (b) in the caption": ("adult", "rand"),
        }.items()
    ),
)
LEARNING_RATES = PaperFigure(
    "fig:learning_rate_compare_lin_sig",
    "RAND→RAND: error by learning rate, linear and sigmoid units",
    draw_learning_rates,
    frozenset({"rand"}),
    protocol=PROTOCOL,
)
CURVE_FIGURES = (
    WITHOUT_CENTERING,
    WITH_CENTERING,
    REAL_PATTERNS,
    LONG_TRAINING,
    WITH_WEIGHT_DECAY,
    LEARNING_RATES,
)
