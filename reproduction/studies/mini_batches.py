"""Mini-batches: whether batches of ten patterns give what single patterns give, over several epochs.

Paper: sec:HD_multi_epoch_experiments
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hebbian_descent.datasets import draw_pair
from hebbian_descent.plotting import new_panels
from hebbian_descent.rules import rule_title
from hebbian_descent.sweep import TargetRangeWarning, sweep
from hebbian_descent.table_formats import TextTable
from reproduction.claims.base import Word
from reproduction.claims.tally import SIMILAR
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

DESCENTS = ("hebbian_descent", "gradient_descent")


def parts(settings: Settings) -> dict[str, Part]:
    """Return one sweep per pair of datasets and draw, for both batch sizes."""
    return {
        f"{first}-{second}-draw{draw}": partial(_errors, settings, first, second, draw)
        for first, second in settings["pairs"]
        for draw in range(settings["draws"])
    }


def _errors(settings: Settings, first: str, second: str, draw: int) -> Numbers:
    """Return the error of the best learning rate and that rate, by batch size, rule and activation."""
    inputs, targets = draw_pair(first, second, settings["patterns"], seed=draw)
    found: Numbers = {}
    for size in settings["batch_sizes"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TargetRangeWarning)  # rectifiers and negative targets, as printed
            result = sweep(
                inputs,
                targets,
                rules=DESCENTS,
                activations=settings["activations"],
                learning_rates=settings["learning_rates"],
                trials=settings["trials"],
                epochs=settings["epochs"],
                batch_size=size,
                shuffle=False,
                seed=draw,
            )
        found[str(size)] = {
            f"{best.rule}, {best.activation}": [best.value, best.learning_rate] for best in result.best("all")
        }
    return found


def _cells(results: Results) -> dict[tuple[str, str], dict[str, dict[str, np.ndarray]]]:
    """Return the errors of all draws, by cell (pair, activation), rule and batch size."""
    settings, cells = results.settings, {}
    for first, second in settings["pairs"]:
        draws = [results.parts[f"{first}-{second}-draw{draw}"] for draw in range(settings["draws"])]
        for activation in settings["activations"]:
            cells[f"{first} → {second}", activation] = {
                rule: {
                    str(size): np.array([draw[str(size)][f"{rule}, {activation}"][0] for draw in draws])
                    for size in settings["batch_sizes"]
                }
                for rule in DESCENTS
            }
    return cells


def _changes(results: Results) -> dict[tuple[str, str, str], Interval]:
    """Return by how much batches change the error, by pair, activation and rule."""
    one, ten = map(str, results.settings["batch_sizes"])
    return {
        (*cell, rule): interval(by_rule[rule][ten] - by_rule[rule][one])
        for cell, by_rule in _cells(results).items()
        for rule in DESCENTS
    }


def table(results: Results) -> TextTable:
    """Return the errors of both batch sizes, and their difference, for both rules."""
    one, ten = map(str, results.settings["batch_sizes"])
    changes = _changes(results)
    rows = [
        (
            *cell,
            rule_title(rule),
            f"{by_rule[rule][one].mean():.4f}",
            f"{by_rule[rule][ten].mean():.4f}",
            str(changes[(*cell, rule)]),
        )
        for cell, by_rule in _cells(results).items()
        for rule in DESCENTS
    ]
    headings = ("pair", "activation", "rule", "single patterns", f"batches of {ten}", "difference")
    return TextTable(headings, rows, alignment="lllrrr")


def figure(results: Results) -> Figure:
    """Draw the error of batches over that of single patterns, one panel per rule."""
    one, ten = map(str, results.settings["batch_sizes"])
    drawn, panels = new_panels(2, width=4.2)
    cells = _cells(results)
    highest = 1.05 * max(
        values.max() for rules in cells.values() for r in DESCENTS for values in rules[r].values()
    )
    for axes, rule in zip(panels, DESCENTS, strict=True):
        axes.plot([0, highest], [0, highest], color="#666666", linewidth=1, linestyle="-.")
        for marker, activation in zip("os^D", results.settings["activations"], strict=False):
            chosen = [by_rule[rule] for (_, name), by_rule in cells.items() if name == activation]
            x, y = (np.concatenate([by_size[size] for by_size in chosen]) for size in (one, ten))
            axes.plot(x, y, marker, markersize=4, alpha=0.7, label=activation)
        axes.set_title(rule_title(rule), fontsize=11)
        axes.set_xlabel("Error, single patterns")
        axes.set_ylabel(f"Error, batches of {ten}")
    legend_below(drawn, panels[0])
    return drawn


def answer(results: Results) -> Answer:
    """Judge as the paper's own words do: similar are errors that differ by at most 0.01."""
    changes = _changes(results)
    n_similar, n_other = _n_similar_and_other(list(changes.values()))
    n_same, ten = _same_order(results), results.settings["batch_sizes"][1]
    worst, largest = max(changes.items(), key=lambda item: abs(item[1].mean))
    return Answer(
        verdict_of(list(changes.values())),
        f"With batches of {ten} the 99 % interval of the change lies within ±{SIMILAR:g} in {n_similar} of "
        f"{len(changes)} cells and certainly beyond it in {n_other}; the largest change is in {worst[0]} "
        f"with {worst[1]} units by {rule_title(worst[2])} ({largest}). "
        f"The better of the two rules certainly changes in {len(changes) // 2 - n_same} of "
        f"{len(changes) // 2} cells; many errors are smaller than {SIMILAR:g}, where this says little.",
    )


def verdict_of(changes: Sequence[Interval]) -> Word:
    """Return the verdict by the rule of the protocol."""
    n_similar, n_other = _n_similar_and_other(changes)
    if n_similar == len(changes):
        return "holds"
    if 4 * n_other > len(changes):
        return "does not hold"
    return "holds with limits" if 2 * n_similar > len(changes) else "undecided"


def _n_similar_and_other(changes: Sequence[Interval]) -> tuple[int, int]:
    """Return how many changes certainly lie within the bound of what is similar, and how many beyond."""
    n_other = sum(abs(change.mean) - change.half > SIMILAR for change in changes)
    return sum(change.within(SIMILAR) for change in changes), n_other


def _same_order(results: Results) -> int:
    """Return in how many cells the better rule is not certainly another with batches."""
    one, ten = map(str, results.settings["batch_sizes"])
    count = 0
    for by_rule in _cells(results).values():
        before, after = (interval(by_rule[DESCENTS[0]][s] - by_rule[DESCENTS[1]][s]) for s in (one, ten))
        count += not (before.is_certain and after.is_certain and before.mean * after.mean < 0)
    return count


STUDY = Study(
    name="mini_batches",
    title="Batches of ten patterns",
    section="sec:HD_multi_epoch_experiments",
    says="results with mini-batches, of ten patterns for example, are similar to those with single patterns; "
    "they are not shown.",
    question="Do mini-batches of ten give the same errors as single patterns over several epochs?",
    protocol="As the paper's table of several epochs (`tab:Hetero_offline_1`): {patterns} pairs, {epochs} "
    "epochs, centered, the best of the paper's 35 learning rates by the error over all patterns, for "
    "batches of {batch_sizes} in the same fixed order. {draws} draws of the patterns with {trials} initial "
    "weights each; differences are paired by draw. The remark holds if the interval of the change lies "
    "within ±0.01 in all cells, and does not hold if more than a quarter certainly change by more; otherwise "
    "it holds with limits if the interval lies within ±0.01 in more than half of the cells, and else is "
    "undecided. The rule was set with first numbers in sight; that limits need such intervals in more than "
    "half of the cells was added after the results, by which it holds either way.",
    settings={
        "pairs": [["rand", "rand"], ["rand", "adult"], ["randn", "connect"], ["adult", "rand"]],
        "activations": ["linear", "explin", "rectifier", "sigmoid"],
        "learning_rates": LEARNING_RATES,
        "batch_sizes": [1, 10],
        "patterns": 100,
        "epochs": 100,
        "draws": 6,
        "trials": 2,
    },
    quick={
        "pairs": [["rand", "rand"]],
        "activations": ["linear", "sigmoid"],
        "learning_rates": QUICK_RATES[::2],
        "patterns": 20,
        "epochs": 5,
        "draws": 2,
        "trials": 1,
    },
    parts=parts,
    table=table,
    figure=figure,
    caption="Mean absolute error with batches of ten over that with single patterns, one mark per draw; on "
    "the line both are equal.",
    answer=answer,
)
