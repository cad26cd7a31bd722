"""What studies of perceptrons share: networks as data, the search of learning rates, a rule of verdicts.

A `Network` says everything but the learning rate and the seed. What trains it imports PyTorch, nothing here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hebbian_descent.checks import Array
from hebbian_descent.plotting import new_panels
from hebbian_descent.thread_pools import one_thread
from reproduction.evidence import Word, on_all
from reproduction.rows import Rows, by_repetition
from reproduction.studies.base import Answer, Record, intervals
from reproduction.studies.drawing import legend_below
from reproduction.studies.rate_search import RateSearch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_CLASSES = 10
BATCH = 50
SIZES = {"digits": (1000, 297), "mnist": (10_000, 5_000)}  # patterns for training and validation
CODES = dict.fromkeys(("scaled_tanh", "inverse_sqrt"), (-1.0, 1.0)) | {"softsign": (-0.9, 0.9)}
"""Targets of the other classes and of the right class, if they are not 0 and 1."""
USUAL_RATES = {"SGD": 0.1, "Adam": 0.001}
"""Optimizers, each with a learning rate to start a search from."""
GRID = range(-4, 7, 2)
"""Where a search starts, in factors of 2 from the optimizer's usual rate: 1/16 … 64 times as large."""

DEPTH_COLORS = ("#56B4E9", "#0072B2", "#E69F00", "#D55E00")


@dataclass(frozen=True)
class Network:
    """A perceptron, its training method and its data.

    All layers are centered by moving offsets if it `is_centered`. If it `is_hebbian`, hidden layers learn
    without φ′, as `HebbianLayer` does.
    """

    dataset: str
    output: str = "softmax"
    loss: str = "matching"
    hidden: str = "rectifier"
    depth: int = 1
    width: int = 100
    optimizer: str = "SGD"
    is_centered: bool = False
    is_hebbian: bool = False


def code_of(output: str) -> tuple[float, float]:
    """Return the targets of the other classes and of the class."""
    return CODES.get(output, (0.0, 1.0))


def rate_of(network: Network, step: int) -> float:
    """Return a learning rate by its factors of 2 from the optimizer's usual one."""
    return USUAL_RATES[network.optimizer] * 2.0**step


def search_of(network: Network, n_seeds: int, n_updates: int) -> RateSearch[Array]:
    """Return a search by the mean validation error; a run is the errors of all seeds."""

    def train_all(steps: Sequence[int]) -> Array:
        return train(network, [rate_of(network, step) for step in steps], n_seeds, n_updates)

    return RateSearch(train_all, lambda errors: errors[:, 0].mean())


def train(network: Network, rates: Sequence[float], n_seeds: int, n_updates: int) -> Array:
    """Return validation and test errors, (n_rates, n_seeds, 2)."""
    from reproduction.studies import perceptron_training  # imports PyTorch, which readers of results may lack

    return perceptron_training.train(network, rates, n_seeds, n_updates)


START = 2
"""The depth that is searched first."""


def errors_by_depth(
    at: Any, depths: Sequence[int], network: Network, *, from_neighbour: bool
) -> Iterator[Record]:
    """Yield the best learning rate of each depth, and the test errors of all seeds there.

    Each search starts from a coarse grid, or `from_neighbour` from the best rate of one layer more or less
    if that is known.
    """
    searches: dict[int, RateSearch[Array]] = {}
    best: dict[int, int] = {}
    with one_thread():  # these networks are too small to gain from more
        for depth in sorted(depths, key=lambda depth: abs(depth - START)):
            near = [best[other] for other in (depth - 1, depth + 1) if other in best and from_neighbour]
            searches[depth] = search_of(replace(network, depth=depth), at.seeds, at.updates)
            best[depth] = searches[depth].best(*(near or GRID))
    for depth in depths:
        yield {"depth": depth, "learning_rate": rate_of(network, best[depth])}
        for seed, error in enumerate(searches[depth].tried[best[depth]][:, 1]):
            yield {"depth": depth, "draw": seed, "error": error}


SETTINGS = {"depths": (1, 2, 3, 4), "width": 100, "updates": 600, "seeds": 5}
QUICK = {"dataset": ("digits",), "depths": (1, 2), "width": 30, "updates": 30, "seeds": 2}
MEASURES = ("error", "learning_rate")
PROTOCOL = (
    "Data: the ten classes of digits and mnist, 1,000 and 10,000 training patterns.",
    "Training: {updates} updates in batches of 50, which are 30 epochs of digits and 3 of mnist.",
    "Learning rates: the smallest mean validation error (297 and 5,000 patterns), when neither neighbour in "
    "steps of a factor of two has a smaller one.",
    "Numbers: test errors; the class is that of the largest pre-activation, so equal outputs do not tie.",
    "Seeds: {seeds}, which decide split, initial weights and order; differences are paired by seed.",
)
RULE = (
    "Holds if no comparison is certainly worse, with limits if some are, but fewer than are certainly "
    "better; does not hold if at least as many are; undecided if none is certain. Chance makes about one in "
    "a hundred certain, for which there is no allowance."
)


def compared(rows: Rows, axis: str, this: str, that: str) -> pd.DataFrame:
    """Return a line per cell in which both ways to learn were measured, `this` and `that` on an axis.

    Differences are test errors of `this` less those of `that`, paired by seed: below zero `this` is better.
    """
    errors = by_repetition(rows, "error")
    ours, others = (errors.xs(way, level=axis) for way in (this, that))
    ours = ours[ours.index.isin(others.index)]
    others = others.loc[ours.index]
    difference = intervals(ours - others)
    found = ours.index.to_frame(index=False)
    found["error"], found["other_error"] = ours.mean(axis=1).to_numpy(), others.mean(axis=1).to_numpy()
    found["difference"] = difference.to_numpy()
    found["is_better"] = [one.is_certain and one.mean < 0 for one in difference]
    found["is_worse"] = [one.is_certain and one.mean > 0 for one in difference]
    return found


def drawn(comparisons: pd.DataFrame, names: pd.Series, titles: pd.Series, columns: int, x: str) -> Figure:
    """Draw all differences with their intervals: a line per name, a colour per depth, a panel per title."""
    places = {name: place for place, name in enumerate(names.unique())}
    groups = comparisons.assign(place=names.map(places)).groupby(titles, sort=False)
    rows, height = len(groups) // columns, 0.9 + 0.42 * len(places)
    figure, panels = new_panels(columns, rows, width=10.8 / columns, height=height)
    for axes, (title, of_panel) in zip(panels, groups, strict=True):
        for number, (depth, mine) in enumerate(of_panel.groupby("depth")):
            means, halves = zip(*mine["difference"], strict=True)
            at = mine["place"] + 0.18 * (number - 1.5)
            style: dict[str, Any] = {"color": DEPTH_COLORS[number], "markersize": 3.5, "linewidth": 1.2}
            error_bars = np.nan_to_num(halves, posinf=0.0)  # a single seed has none
            axes.errorbar(means, at, xerr=error_bars, fmt="o", label=layers(depth), **style)
        axes.axvline(0, color="#666666", linewidth=1)
        axes.set_xscale("symlog", linthresh=0.01)
        axes.set_xticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        axes.set_title(title, fontsize=11)
        axes.set_xlabel(x)
        axes.set_yticks(range(len(places)), places)
        axes.invert_yaxis()
    return legend_below(figure, panels[0])


def layers(depth: int | str) -> str:
    """Write a number of hidden layers."""
    return f"{depth} hidden layer{'' if str(depth) == '1' else 's'}"


def judged(comparisons: pd.DataFrame, text: str) -> Answer:
    """Return an answer with the verdict of `RULE`."""
    verdict: Word = on_all(comparisons["is_better"].sum(), comparisons["is_worse"].sum())
    return Answer(verdict, text)


def by_units(comparisons: pd.DataFrame, units: str, what: str) -> str:
    """Write how many comparisons are certain (`what` is "is_better" or "is_worse"), and of which units."""
    certain, every = Counter(comparisons[units][comparisons[what]]), Counter(comparisons[units])
    words = ", ".join(f"{unit} {number} of {every[unit]}" for unit, number in certain.most_common())
    return f"{certain.total()} ({words})" if certain else "none"
