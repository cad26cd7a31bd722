"""Learning rates by search: steps of a factor of four, of two, of the square root of two around the best.

The best is that with the smallest mean validation error; the walk ends where both neighbours are no better,
so that no grid can end at the best rate. Every run is kept in a file as it ends, and what is kept is not
computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from networks import OPTIMIZERS, Errors, Network, train
from stacked import train_many

COARSE = range(-8, 13, 4)  # in steps of √2 from the optimizer's usual rate: 1/16 … 64 times as large
Runs = dict[str, list[list[float]]]  # for each rate, validation and test error of each seed


class Study:
    """What was measured: the errors of networks at learning rates, seed by seed."""

    def __init__(self, file: Path, n_seeds: int = 5) -> None:
        self.file, self.n_seeds = file, n_seeds
        self.kept: dict[str, Runs] = json.loads(file.read_text()) if file.exists() else {}

    def search(self, network: Network, *, stride: int = 1) -> None:
        """Find the best rate, up to a factor of √2 to the power of `stride`, with all seeds."""
        start = COARSE[int(np.argmin(self._errors(network, COARSE, 1)))]
        best = self._climb(network, start, 4, 1)
        for smaller in (2, 1):
            if smaller >= stride:
                best = self._climb(network, best, smaller, self.n_seeds)

    def rates(self, network: Network) -> dict[float, np.ndarray]:
        """Return the errors at each rate that all seeds have tried, (n_seeds, 2)."""
        runs = self.kept.get(str(network), {})
        whole = {float(rate): np.array(each) for rate, each in runs.items() if len(each) >= self.n_seeds}
        return dict(sorted(whole.items()))

    def best(self, network: Network) -> tuple[float, np.ndarray]:
        """Return the rate with the smallest mean validation error, and the test error of each seed there."""
        rates = self.rates(network)
        rate = min(rates, key=lambda r: rates[r][:, 0].mean())
        return rate, rates[rate][:, 1]

    def _errors(self, network: Network, steps: Sequence[int], n_seeds: int) -> list[float]:
        """Return the mean validation error at each rate, after the runs that it needs, all at once."""
        kept = self.kept.setdefault(str(network), {})
        rates = {f"{OPTIMIZERS[network.optimizer][1] * 2 ** (step / 2):.4g}": step for step in steps}
        missing = [(rate, seed) for rate in rates for seed in range(len(kept.get(rate, [])), n_seeds)]
        if missing:
            runs = [(float(rate), seed) for rate, seed in missing]
            found = [train(network, *run) for run in runs] if network.hebbian else train_many(network, runs)
            for (rate, _), errors in zip(missing, found, strict=True):
                kept.setdefault(rate, []).append([round(error, 5) for error in errors])
            self._save()
        return [float(np.mean([Errors(*each).validation for each in kept[rate][:n_seeds]])) for rate in rates]

    def _climb(self, network: Network, start: int, stride: int, n_seeds: int) -> int:
        best = start
        while True:
            near = (best, best - stride, best + stride)
            better = near[int(np.argmin(self._errors(network, near, n_seeds)))]  # of equals the first stays
            if better == best:
                return best
            best = better

    def _save(self) -> None:
        lines = (f"{json.dumps(name)}: {json.dumps(runs)}" for name, runs in self.kept.items())
        draft = self.file.with_suffix(".new")
        draft.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        os.replace(draft, self.file)  # whoever is killed leaves a whole file
