"""Hebb's rule with weights rescaled by the number of updates: what that mends, and what it costs.

After n updates Hebb's rule has the weights W₀ + η Σ (x − μ)ᵀt, which grow with n. Divided by n they are those
of a learning rate η/n from initial weights W₀/n: a search over learning rates from W₀ = 0 contains that.

Paper: sec:HD_hebb_rule
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.learning.run import train
from hebbian_descent.network import Layer
from hebbian_descent.plotting import new_panels
from hebbian_descent.sweep import TargetRangeWarning, sweep
from hebbian_descent.table_formats import TextTable
from reproduction.claims.base import Word
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.studies.base import (
    Answer,
    Interval,
    Numbers,
    Part,
    Results,
    Settings,
    Study,
    interval,
    legend_below,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAIN, FROM_ZERO, RESCALED = WAYS = ("as they are", "from zero", "rescaled")


def parts(settings: Settings) -> dict[str, Part]:
    """Return one part per pair of datasets and draw, with all numbers of patterns."""
    return {
        f"{first}-{second}-draw{draw}": partial(_errors, settings, first, second, draw)
        for first, second in settings["pairs"]
        for draw in range(settings["draws"])
    }


def _errors(settings: Settings, first: str, second: str, draw: int) -> Numbers:
    """Return errors and output by activation, as lists over the numbers of patterns."""
    found: Numbers = {name: {} for name in settings["activations"]}
    for name in settings["activations"]:
        found[name] = [_of_one(settings, first, second, draw, name, n) for n in settings["patterns"]]
        for way in WAYS:  # the rate that suits the fewest patterns, kept for all
            place = found[name][0][way]["place"]
            for row in found[name]:
                errors, outputs = row[way].pop("errors"), row[way].pop("outputs")
                row[way] |= {"kept": errors[place], "output": outputs[place]}
    return found


def _of_one(settings: Settings, first: str, second: str, draw: int, activation: str, n: int) -> Numbers:
    inputs, targets = draw_pair(first, second, n, seed=draw)
    start = Layer.create(
        inputs.shape[1],
        targets.shape[1],
        activation=activation,
        offset=inputs.mean(axis=0),
        rng=np.random.default_rng(draw),
    )
    learned = start.copy()
    options: dict[str, Any] = {"activations": activation, "learning_rates": settings["learning_rates"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TargetRangeWarning)
        train(learned, inputs, targets, rule="hebb", learning_rate=1.0)
        descent = sweep(inputs, targets, rules="hebbian_descent", trials=1, seed=draw, **options)
    imprint = learned.weights - start.weights
    row: Numbers = {"descent": descent.best("all")[0].value, "baseline": descent.baseline}
    for way, initial, scale in ((PLAIN, 1, 1), (FROM_ZERO, 0, 1), (RESCALED, 1, n)):
        weights = [(initial * start.weights + rate * imprint) / scale for rate in settings["learning_rates"]]
        outputs = [_output(start, each, inputs) for each in weights]
        errors = [float(np.abs(output - targets).mean()) for output in outputs]
        place = int(np.argmin(errors))
        row[way] = {
            "place": place,
            "best": errors[place],
            "errors": errors,
            "outputs": [float(np.abs(output).mean()) for output in outputs],
        }
    return row


def _output(start: Layer, weights: Array, inputs: Array) -> Array:
    layer = start.copy()
    layer.weights[:] = weights
    return layer.output(inputs)


def _columns(results: Results, pair: tuple[str, str], activation: str) -> dict[str, Array]:
    """Return arrays over draws and numbers of patterns."""
    rows = [
        results.parts[f"{pair[0]}-{pair[1]}-draw{draw}"][activation]
        for draw in range(results.settings["draws"])
    ]
    columns = {
        name: np.array([[row[name] for row in draw] for draw in rows]) for name in ("descent", "baseline")
    }
    for way in WAYS:
        for name in ("best", "kept", "output", "place"):
            columns[f"{way}, {name}"] = np.array([[row[way][name] for row in draw] for draw in rows])
    return columns


def _cells(results: Results) -> dict[tuple[str, str], dict[str, Array]]:
    return {
        (f"{first} → {second}", activation): _columns(results, (first, second), activation)
        for first, second in results.settings["pairs"]
        for activation in results.settings["activations"]
    }


def table(results: Results) -> TextTable:
    """Return the errors for the most patterns, with the rate kept and chosen anew."""
    fewest, *_, most = results.settings["patterns"]
    rows = [
        (
            *cell,
            *(f"{columns[f'{way}, kept'][:, -1].mean():.4f}" for way in WAYS),
            *(f"{columns[f'{way}, best'][:, -1].mean():.4f}" for way in WAYS),
            *(str(_gain(columns, way)) for way in (PLAIN, FROM_ZERO)),
            f"{columns['descent'][:, -1].mean():.4f}",
            f"{columns['baseline'][:, -1].mean():.4f}",
        )
        for cell, columns in _cells(results).items()
    ]
    headings = (
        *("pair", "activation"),
        *(f"rate of {fewest} patterns: {way}" for way in WAYS),
        *(f"rate of {most} patterns: {way}" for way in WAYS),
        *(f"rescaled − {way}" for way in (PLAIN, FROM_ZERO)),
        *("Hebbian-descent", "baseline"),
    )
    return TextTable(headings, rows, alignment="ll" + "r" * 10)


def _gain(columns: dict[str, Array], way: str) -> Interval:
    """Return by how much rescaling changes the error, for the most patterns and the best rates."""
    return interval(columns[f"{RESCALED}, best"][:, -1] - columns[f"{way}, best"][:, -1])


def figure(results: Results) -> Figure:
    """Draw the mean output and the error over the number of patterns, with the rate of the fewest kept."""
    settings = results.settings
    drawn, panels = new_panels(2, width=4.4)
    cells = _cells(results)
    chosen = {
        pair: columns for (pair, activation), columns in cells.items() if activation == settings["shown"]
    }
    for axes, name, title in zip(panels, ("output", "kept"), ("Mean |output|", "Error"), strict=True):
        for color, (pair, columns) in zip(("#D55E00", "#0072B2", "#009E73"), chosen.items(), strict=False):
            for way, dashes in zip(WAYS, ("-", ":", "--"), strict=True):
                values = columns[f"{way}, {name}"].mean(axis=0)
                axes.plot(settings["patterns"], values, dashes, color=color, label=f"{pair}, {way}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("Patterns stored")
        axes.set_ylabel(title)
    legend_below(drawn, panels[0])
    return drawn


def answer(results: Results) -> Answer:
    """Judge whether rescaling keeps the output in range, and say what it does for the error."""
    fewest, *_, most = results.settings["patterns"]
    growth = {way: [_log_growth(columns, way) for columns in _unbounded(results)] for way in WAYS}
    cells = _cells(results).values()
    gains = {way: [abs(_gain(columns, way).mean) for columns in cells] for way in (PLAIN, FROM_ZERO)}
    n_worse, n_better = (
        sum((sign * (c[f"{RESCALED}, best"] - c["descent"])[:, -1] > 0).all() for c in cells)
        for sign in (1, -1)
    )
    return Answer(
        verdict_of([*growth[PLAIN], *growth[FROM_ZERO]], growth[RESCALED]),
        f"Rescaling keeps the output of units that do not saturate in range, but it shrinks what is stored: "
        f"from {fewest} to {most} patterns, with the learning rate kept, the mean output changes by a factor "
        f"of {_span(growth[RESCALED])}, against {_span(growth[PLAIN])} without rescaling, or "
        f"{_span(growth[FROM_ZERO])} if weights start at zero. "
        f"With the best rate for {most} patterns it changes the error by up to {max(gains[PLAIN]):.2f}, "
        f"since it removes the initial weights, but by {max(gains[FROM_ZERO]):.2f} at most if weights start "
        f"at zero; in all draws it is above that of Hebbian-descent in {n_worse} and below it in "
        f"{n_better} of {len(cells)} cells.",
    )


def verdict_of(without: Sequence[Interval], rescaled: Sequence[Interval]) -> Word:
    """Return the verdict by the rule of the protocol, given the log-growth in each cell."""
    shrinks = any(growth.mean < -growth.half for growth in without)
    if shrinks or any(growth.mean > growth.half for growth in rescaled):
        return "does not hold"
    everywhere = all(growth.is_certain for growth in (*without, *rescaled))
    return "holds with limits" if everywhere else "undecided"


def _log_growth(columns: dict[str, Array], way: str) -> Interval:
    """Return the logarithm of the factor from the output for the fewest patterns to that for the most.

    A factor does not depend on the learning rate that a draw chose, where weights start at zero.
    """
    outputs = columns[f"{way}, output"]
    return interval(np.log(outputs[:, -1] / outputs[:, 0]))


def _span(growth: list[Interval]) -> str:
    factors = [np.exp(each.mean) for each in growth]
    return f"{min(factors):.2g} to {max(factors):.2g}"


def _unbounded(results: Results) -> list[dict[str, Array]]:
    return [columns for (_, name), columns in _cells(results).items() if name != "sigmoid"]


STUDY = Study(
    name="rescaled_hebb",
    title="Hebb's rule rescaled by the number of updates",
    section="sec:HD_hebb_rule",
    says="Hebb's weights grow with every update, which matters for units that do not saturate; usually they "
    "are rescaled by the number of updates, which has to be counted, or decay.",
    question="What does rescaling by the number of updates fix, and does it reduce the error?",
    protocol="Centered networks store {patterns} patterns once by Hebb's rule. Three versions of their "
    "weights are tested: as learned, the same minus the initial weights, and divided by the number of "
    "updates; once with the learning rate that is best for the fewest patterns, once with the best of the "
    "paper's 35 rates. {draws} draws of patterns and initial weights, differences paired by draw; for "
    "comparison, Hebbian-descent in one pass with its best rate, and always answering with the mean target "
    "(baseline). Of units that do not saturate the factor from the mean output for the fewest patterns to "
    "that for the most is taken in each draw, with the learning rate kept, and its mean logarithm. The "
    "remark does not hold if in some cell it certainly shrinks without rescaling, with initial weights or "
    "without, or certainly grows with it; it holds with limits if in all cells it certainly grows without "
    "and certainly shrinks with it, and is undecided otherwise. It cannot hold without limits, since decay, "
    "the other remedy, is not measured. The rule was set with first numbers in sight: at first one cell "
    "that grows without rescaling sufficed. Intervals in all cells were added after the results and leave "
    "the verdict as it was; differences instead of factors would not be certain in two cells of linear "
    "units that start at zero, whose learning rates differ between draws.",
    settings={
        "pairs": [["rand", "rand"], ["rand", "adult"], ["adult", "rand"]],
        "activations": ["linear", "rectifier", "sigmoid"],
        "shown": "linear",
        "learning_rates": LEARNING_RATES,
        "patterns": [10, 25, 50, 100, 200, 400],
        "draws": 8,
    },
    quick={
        "pairs": [["rand", "digits"]],
        "activations": ["linear", "sigmoid"],
        "learning_rates": QUICK_RATES,
        "patterns": [5, 20],
        "draws": 2,
    },
    parts=parts,
    table=table,
    figure=figure,
    caption="Linear units: mean absolute output and mean absolute error over the number of stored patterns, "
    "with the learning rate that is best for the fewest.",
    answer=answer,
)
