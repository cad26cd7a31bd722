"""Search for learning rates in steps of a factor of 4, then 2, then √2 around the best.

The best is that with the smallest mean validation error. The walk ends where both neighbours are no better,
so that no grid can end at the best rate, and where no rate that fewer seeds have tried is within a standard
error of it. Every run is kept as it ends, in a file if there is one, and what is kept is not computed again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.safe_files import write_atomically
from reproduction.studies.perceptrons.network import SIZES, USUAL_RATES, Network
from reproduction.studies.perceptrons.stacked import train_many
from reproduction.studies.perceptrons.training import Errors

COARSE = range(-8, 13, 4)  # in steps of √2 from the optimizer's usual rate: 1/16 … 64 times as large
Runs = dict[str, list[list[float]]]  # for each rate, validation and test error of each seed


def rate_of(network: Network, step: int) -> float:
    """Return a learning rate by its number of steps of √2 from the optimizer's usual one."""
    return USUAL_RATES[network.optimizer] * 2 ** (step / 2)


def step_of(network: Network, rate: float) -> int:
    """Return the number of steps of a learning rate."""
    return round(2 * np.log2(rate / USUAL_RATES[network.optimizer]))


class RateSearch:
    """The measured errors of networks by learning rate and seed."""

    def __init__(self, file: Path | None = None, n_seeds: int = 5, n_updates: int | None = None) -> None:
        self.file, self.n_seeds, self.n_updates = file, n_seeds, n_updates
        kept = json.loads(file.read_text()) if file is not None and file.exists() else {}
        self.kept: dict[str, Runs] = kept

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
            for (rate, _), errors in zip(missing, train_many(network, runs, self.n_updates), strict=True):
                kept.setdefault(rate, []).append([round(error, 5) for error in errors])
            self._save()
        return [float(np.mean([Errors(*each).validation for each in kept[rate][:n_seeds]])) for rate in rates]

    def _promising(self, network: Network, best: int) -> int | None:
        """Return a rate tried with too few seeds that is within one standard error of the best."""
        (lowest,) = self._errors(network, (best,), self.n_seeds)
        error = (lowest * (1 - lowest) / SIZES[network.dataset][1]) ** 0.5  # of one seed's validation error
        few = {
            step_of(network, float(rate)): np.mean([Errors(*each).validation for each in runs])
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

    def _save(self) -> None:
        if self.file is None:
            return
        lines = (f"{json.dumps(name)}: {json.dumps(runs)}" for name, runs in self.kept.items())
        write_atomically(self.file, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
