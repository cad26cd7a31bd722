"""Search for learning rates in steps of a factor of 4, then 2, then √2 around the best.

The best rate has the smallest mean validation error. The search ends when both neighbours are no better, so
the best rate is never at the end of a grid, and no rate tried with fewer seeds is within a standard error of
it. Finished runs are saved to a file and not computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from networks import OPTIMIZERS, SIZES, Errors, Network, train
from stacked import train_many

COARSE = range(-8, 13, 4)  # in steps of √2 from the optimizer's usual rate: 1/16 … 64 times as large
Runs = dict[str, list[list[float]]]  # for each rate, validation and test error of each seed


def rate_of(network: Network, step: int) -> float:
    """Return a learning rate by its number of steps of √2 from the optimizer's usual one."""
    return OPTIMIZERS[network.optimizer][1] * 2 ** (step / 2)


def step_of(network: Network, rate: float) -> int:
    """Return the number of steps of a learning rate."""
    return round(2 * np.log2(rate / OPTIMIZERS[network.optimizer][1]))


class Study:
    """The measured errors of networks by learning rate and seed."""

    def __init__(self, file: Path, n_seeds: int = 5) -> None:
        self.file, self.n_seeds = file, n_seeds
        self.kept: dict[str, Runs] = json.loads(file.read_text()) if file.exists() else {}

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

    def rates(self, network: Network) -> dict[float, np.ndarray]:
        """Return the errors at each rate that all seeds have tried, (n_seeds, 2)."""
        runs = self.kept.get(str(network), {})
        whole = {float(rate): np.array(each) for rate, each in runs.items() if len(each) >= self.n_seeds}
        return dict(sorted(whole.items()))

    def best(self, network: Network) -> tuple[float, np.ndarray]:
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
            found = [train(network, *run) for run in runs] if network.hebbian else train_many(network, runs)
            for (rate, _), errors in zip(missing, found, strict=True):
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
        lines = (f"{json.dumps(name)}: {json.dumps(runs)}" for name, runs in self.kept.items())
        draft = self.file.with_suffix(".new")
        draft.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        os.replace(draft, self.file)  # atomic: a killed process leaves a complete file
