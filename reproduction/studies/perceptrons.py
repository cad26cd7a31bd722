"""What studies of perceptrons share: networks as data, the search of learning rates, a rule of verdicts.

A `Network` says everything but the learning rate and the seed. What trains it imports PyTorch, nothing here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hebbian_descent.checks import Array
from hebbian_descent.thread_pools import one_thread
from reproduction.evidence import Word, on_all
from reproduction.rows import Rows, by_repetition
from reproduction.studies.base import Answer, Record, intervals

N_CLASSES = 10
BATCH = 50
UPDATES = {"digits": 600, "mnist": 1000}
SIZES = {"digits": (1000, 297), "mnist": (10_000, 5_000)}  # patterns for training and validation
CODES = dict.fromkeys(("scaled_tanh", "inverse_sqrt"), (-1.0, 1.0)) | {"softsign": (-0.9, 0.9)}
"""Targets of the other classes and of the right class, if they are not 0 and 1."""
CENTERINGS = ("input only", "fixed", "moving")
NORMALISATIONS = ("batch norm", "layer norm")
HIDDEN = ("sigmoid", "tanh", "rectifier")
STEP = "step"
"""Hidden units without a gradient, for one hidden layer: below a second one nothing would learn."""
USUAL_RATES = {"SGD": 0.1, "Adam": 0.001}
"""Optimizers, each with a learning rate to start a search from."""
ONE_LOSS = {"linear": "is the same", "step": "has no gradient"}
"""Output units that learn by their matching loss alone, and what the squared error is for them."""
OWN_CROSS_ENTROPY = ("softsign", "inverse_sqrt")
"""Bounded output units whose cross entropy, of outputs scaled to (0, 1), is a loss of its own.

That of sigmoid, softmax and scaled tanh units is their matching loss.
"""


@dataclass(frozen=True)
class Network:
    """A perceptron, its training method and its data.

    `centering` is "none", one of `CENTERINGS` or one of `NORMALISATIONS`. With `hebbian`, hidden layers learn
    without φ′, as `HebbianLayer` does.
    """

    dataset: str
    output: str = "softmax"
    loss: str = "matching"
    hidden: str = "rectifier"
    depth: int = 1
    width: int = 100
    centering: str = "none"
    inputs: str = "raw"
    optimizer: str = "SGD"
    hebbian: bool = False

    def __str__(self) -> str:
        hidden = f"{self.depth} x {self.width} {self.hidden}{' (Hebbian)' if self.hebbian else ''}"
        how = f"{self.loss} loss, {self.centering}, {self.inputs} inputs, {self.optimizer}"
        return f"{self.dataset}: {hidden}, {self.output}, {how}"


def losses_of(output: str) -> tuple[str, ...]:
    """Return the losses that an output unit can learn by, equal ones once, the matching loss first."""
    if output in ONE_LOSS:
        return ("matching",)
    return ("matching", "squared", *(["cross entropy"] if output in OWN_CROSS_ENTROPY else []))


def code_of(output: str) -> tuple[float, float]:
    """Return the targets of the other classes and of the class."""
    return CODES.get(output, (0.0, 1.0))


COARSE = range(-8, 13, 4)  # in steps of √2 from the optimizer's usual rate: 1/16 … 64 times as large
Runs = dict[str, list[list[float]]]  # for each rate, validation and test error of each seed


def rate_of(network: Network, step: int) -> float:
    """Return a learning rate by its number of steps of √2 from the optimizer's usual one."""
    return USUAL_RATES[network.optimizer] * 2 ** (step / 2)


def step_of(network: Network, rate: float) -> int:
    """Return the number of steps of a learning rate."""
    return round(2 * np.log2(rate / USUAL_RATES[network.optimizer]))


class RateSearch:
    """Search for learning rates in steps of a factor of 4, then 2, then √2 around the best.

    The best has the smallest mean validation error. The walk ends where both neighbours are no better, so
    no grid ends at the best rate, and where no rate that fewer seeds have tried is within a standard error.
    Every run is kept under the name of its network, and what is kept is not computed again.
    """

    def __init__(
        self,
        n_seeds: int,
        n_updates: int | None = None,
        kept: dict[str, Runs] | None = None,
        ended: Callable[[dict[str, Runs]], None] = lambda kept: None,
    ) -> None:
        """Begin with what is kept; `ended` is called with it whenever runs have ended."""
        self.n_seeds, self.n_updates, self.ended = n_seeds, n_updates, ended
        self.kept = {} if kept is None else kept

    def search(self, network: Network, *, stride: int = 1) -> None:
        """Find the best rate with all seeds, up to a factor of √2 to the power of `stride`."""
        start = COARSE[int(np.argmin(self._errors(network, COARSE, 1)))]
        best = self._climb(network, start, 4, 1)
        best = self._climb(network, best, 2, self.n_seeds)
        while (other := self._promising(network, best)) is not None:
            now, then = self._errors(network, (best, other), self.n_seeds)
            best = self._climb(network, other, 2, self.n_seeds) if then < now else best
        if stride == 1:
            self._climb(network, best, 1, self.n_seeds)

    def search_from(self, network: Network, rate: float) -> None:
        """Find the best rate by steps of a factor of two from a rate that suits a similar network."""
        self._climb(network, step_of(network, rate), 2, self.n_seeds)

    def rates(self, network: Network) -> dict[float, Array]:
        """Return the errors at each rate that all seeds have tried, (n_seeds, 2)."""
        runs = self.kept.get(str(network), {})
        whole = {float(rate): np.array(each) for rate, each in runs.items() if len(each) >= self.n_seeds}
        return dict(sorted(whole.items()))

    def best(self, network: Network) -> tuple[float, Array]:
        """Return the rate with the smallest mean validation error, and the test error of each seed there."""
        rates = self.rates(network)
        middle = sum(np.log(r) for r in (min(rates), max(rates))) / 2  # ties: the one nearest the middle
        rate = min(rates, key=lambda r: (rates[r][:, 0].mean().round(9), abs(np.log(r) - middle)))
        return rate, rates[rate][:, 1]

    def _errors(self, network: Network, steps: Sequence[int], n_seeds: int) -> list[float]:
        """Return the mean validation error at each rate, after running all missing runs together."""
        kept = self.kept.setdefault(str(network), {})
        rates = [f"{rate_of(network, step):.4g}" for step in steps]
        missing = [(rate, seed) for rate in rates for seed in range(len(kept.get(rate, [])), n_seeds)]
        if missing:
            runs = [(float(rate), seed) for rate, seed in missing]
            for (rate, _), errors in zip(missing, train(network, runs, self.n_updates), strict=True):
                kept.setdefault(rate, []).append([round(error, 5) for error in errors])
            self.ended(self.kept)
        return [float(np.mean([validation for validation, _ in kept[rate][:n_seeds]])) for rate in rates]

    def _promising(self, network: Network, best: int) -> int | None:
        """Return a rate tried with too few seeds that is within one standard error of the best."""
        (lowest,) = self._errors(network, (best,), self.n_seeds)
        error = (lowest * (1 - lowest) / SIZES[network.dataset][1]) ** 0.5  # of one seed's validation error
        few = {
            step_of(network, float(rate)): np.mean([validation for validation, _ in runs])
            for rate, runs in self.kept[str(network)].items()
            if len(runs) < self.n_seeds
        }
        step = min(few, key=lambda step: few[step], default=best)
        return step if step in few and few[step] < lowest + error else None

    def _climb(self, network: Network, start: int, stride: int, n_seeds: int) -> int:
        best = start
        while True:
            near = (best, best - stride, best + stride)
            better = near[int(np.argmin(self._errors(network, near, n_seeds)))]  # ties: the first
            if better == best:
                return best
            best = better


def train(network: Network, runs: Sequence[tuple[float, int]], n_updates: int | None) -> Any:
    """Return validation and test error for pairs of learning rate and seed."""
    from reproduction.studies import perceptron_training  # imports PyTorch, which readers of results may lack

    return perceptron_training.train(network, runs, n_updates)


START = 2
"""The depth that is searched first."""


def errors_by_depth(
    at: Any, depths: Sequence[int], network_of: Callable[[int], Network], *, from_neighbour: bool
) -> Iterator[Record]:
    """Yield the best learning rate of each depth, and the test errors of all seeds there.

    Depths are searched from a coarse grid on, or `from_neighbour` from the best rate of the nearest depth.
    """
    search = RateSearch(at.seeds, at.updates)
    best: dict[int, tuple[float, Array]] = {}
    with one_thread():  # these networks are too small to gain from more
        for depth in sorted(depths, key=lambda depth: abs(depth - START)):
            network = network_of(depth)
            if best and from_neighbour:
                search.search_from(network, best[min(best, key=lambda other: abs(other - depth))][0])
            else:
                search.search(network, stride=2)
            best[depth] = search.best(network)
    for depth in depths:
        rate, errors = best[depth]
        yield {"depth": depth, "learning_rate": rate}
        yield from ({"depth": depth, "draw": seed, "error": error} for seed, error in enumerate(errors))


SETTINGS = {"depths": (1, 2, 3, 4), "width": 100, "updates": 600, "seeds": 5}
QUICK = {"dataset": ("digits",), "depths": (1, 2), "width": 30, "updates": 30, "seeds": 2}
MEASURES = ("error", "learning_rate")
PROTOCOL = (
    "Data: the ten classes of digits and mnist, 1,000 and 10,000 training patterns.",
    "Training: {updates} updates in batches of 50, on mnist fewer than the page on PyTorch has, to save "
    "time.",
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


def judged(comparisons: pd.DataFrame, text: str) -> Answer:
    """Return an answer with the verdict of `RULE`."""
    verdict: Word = on_all(comparisons["is_better"].sum(), comparisons["is_worse"].sum())
    return Answer(verdict, text)


def by_units(comparisons: pd.DataFrame, units: str, what: str) -> str:
    """Write how many comparisons are certain (`what` is "is_better" or "is_worse"), and of which units."""
    certain, every = Counter(comparisons[units][comparisons[what]]), Counter(comparisons[units])
    words = ", ".join(f"{unit} {number} of {every[unit]}" for unit, number in certain.most_common())
    return f"{certain.total()} ({words})" if certain else "none"


def layers(depth: int | str) -> str:
    """Write a number of hidden layers."""
    return f"{depth} hidden layer{'' if str(depth) == '1' else 's'}"
