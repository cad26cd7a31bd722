"""Auto-association: tied auto-encoders that reconstruct their input through few hidden units.

A quarter as many hidden units as inputs; input offsets fixed at the mean, hidden offsets following; batches
of 100 in a new order every epoch; judged on the test set.

Paper: sec:HD_auto_associative_experiments
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hebbian_descent.datasets import load
from hebbian_descent.sweep import Best, SweepResult, halving
from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES
from reproduction.context import Context, Effort
from reproduction.experiments.classification import LARGE
from reproduction.experiments.records import Record, records
from reproduction.rows import Rows
from reproduction.running import Job

PROTOCOL: Mapping[str, Any] = {
    "learning_rates": LEARNING_RATES,
    "trials": 10,
    "epochs": 100,
    "batch_size": 100,
    "hidden_shift": 0.01,
    "patterns": None,
    "seed": 0,
}
"""Settings of the paper's table; patterns is how many of each set, None for all."""
QUICK = {"learning_rates": QUICK_RATES[::2], "trials": 1, "epochs": 3, "patterns": 500}
TRIALS_OF_LARGE_DATASETS = 3


@dataclass(frozen=True, eq=False)
class AutoAssociation:
    """Datasets with their output activation, each learned by every rule with every hidden activation."""

    label: str
    title: str
    networks: Sequence[tuple[str, str]]
    """Pairs of dataset and output activation."""
    hidden_activations: Sequence[str]
    measures: Sequence[str]
    rules: Sequence[str] = ("gradient_descent", "hebbian_descent")

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets that are reconstructed."""
        return frozenset(name for name, _ in self.networks)

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Yield one job for each network, named by dataset, hidden units and output units."""
        settings = effort.applied_to(PROTOCOL, QUICK)
        for dataset, output in self.networks:
            for hidden in self.hidden_activations:
                chosen = dict(settings)
                if dataset in LARGE and effort.is_the_papers:
                    chosen["trials"] = TRIALS_OF_LARGE_DATASETS
                cell = {"dataset": dataset, "output_activation": output, "hidden_activation": hidden}
                yield Job(f"{dataset}-{hidden}-{output}", partial(self._measure, cell, chosen), chosen)

    def _measure(
        self, cell: dict[str, str], settings: dict[str, Any], context: Context, _: Rows
    ) -> Iterator[Record]:
        """Train on the training set and measure the reconstruction of the test set."""
        for result, best in self._best(cell, settings, context):
            per_trial = {
                "mae_mean": result.trials_of(best).mean(axis=1),
                "mean_hidden_activity": result.trials_of(best, "hidden_activity").mean(axis=1),
            }
            kept = {name: per_trial[name] for name in self.measures}
            yield from records({**cell, "rule": best.rule}, kept, best)

    def _best(
        self, cell: dict[str, str], settings: dict[str, Any], context: Context
    ) -> list[tuple[SweepResult, Best]]:
        data, options = load(cell["dataset"], dtype=np.float32), dict(settings)
        n = options.pop("patterns")
        options |= {
            "rules": self.rules,
            "hidden_activations": cell["hidden_activation"],
            "output_activations": cell["output_activation"],
            "n_hidden": n_hidden(data.n_features),
            "evaluate_on": (data.test or data.train).inputs[:n],
            "dtype": np.float32,
        }
        # A single short run tells too little, but all learning rates for all epochs would take days.
        # Hebb's rule is run alone and keeps growing: its short runs are not informative.
        is_large = cell["dataset"] in LARGE
        found = halving(
            context.sweep_autoencoders,
            data.train.inputs[:n],
            saves="epochs" if is_large and "hebb" not in self.rules else "trials",
            finalists=1 if is_large else 3,
            **options,
        )
        return [(search.result, search.best) for search in found]


def n_hidden(n_inputs: int) -> int:
    """Return a quarter of the inputs, rounded half up: 31 for ADULT, 32 for CONNECT."""
    return int(n_inputs / 4 + 0.5)
