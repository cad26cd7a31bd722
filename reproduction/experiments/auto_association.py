"""Auto-association: tied auto-encoders that reconstruct their input through few hidden units.

A quarter as many hidden units as inputs; input offsets fixed at the mean, hidden offsets following; batches
of 100 in a new order every epoch; judged on the test set.

Paper: sec:HD_auto_associative_experiments
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbian_descent.datasets import load
from hebbian_descent.sweep import Best, SweepResult, halving
from reproduction.experiments.base import Experiment, Job, Measured, measured, with_kept_rates
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.run_context import SEARCHES, Effort, RunContext

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

TRIALS_OF_LARGE_DATASETS = 3
LARGE = ("mnist", "cifar")


@dataclass(frozen=True, eq=False)
class AutoAssociation(Experiment):
    """Datasets with their output activation, each learned by every rule with every hidden activation."""

    networks: Sequence[tuple[str, str]]
    """Pairs of dataset and output activation."""
    hidden_activations: Sequence[str]
    rules: Sequence[str] = ("gradient_descent", "hebbian_descent")

    searches = SEARCHES
    protocol = PROTOCOL
    quick = {"learning_rates": QUICK_RATES[::2], "trials": 1, "epochs": 3, "patterns": 500}  # noqa: RUF012

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets that are reconstructed."""
        return frozenset(name for name, _ in self.networks)

    def jobs(self, effort: Effort) -> Iterator[AutoAssociationJob]:
        """Yield one job for each network."""
        for dataset, output in self.networks:
            for hidden in self.hidden_activations:
                yield AutoAssociationJob(self, effort, dataset, output, hidden)


@dataclass(frozen=True, eq=False)
class AutoAssociationJob(Job):
    """All rules on one dataset with one hidden and one output activation."""

    experiment: AutoAssociation
    effort: Effort
    dataset: str
    output: str
    hidden: str

    @property
    def name(self) -> str:  # type: ignore[override]  # read-only here
        """Such as adult-sigmoid-linear: hidden units, then output units."""
        return f"{self.dataset}-{self.hidden}-{self.output}"

    def run(self, context: RunContext) -> list[Measured]:
        """Train on the training set and measure the reconstruction of the test set."""
        settings = self.effort.applied_to(self.experiment.protocol, self.experiment.quick)
        is_large = self.dataset in LARGE
        if self.effort.is_the_papers and is_large:
            settings["trials"] = TRIALS_OF_LARGE_DATASETS
        data = load(self.dataset, dtype=np.float32)
        n_patterns = settings.pop("patterns")
        options = {
            "rules": self.experiment.rules,
            "hidden_activations": self.hidden,
            "output_activations": self.output,
            "n_hidden": n_hidden(data.n_features),
            "evaluate_on": (data.test or data.train).inputs[:n_patterns],
            "dtype": np.float32,
            **settings,
        }
        inputs = data.train.inputs[:n_patterns]
        if self.effort.search == "kept":
            rates = {rule: context.rate_of(self._cell(rule)) for rule in self.experiment.rules}
            kept = with_kept_rates(rates, context.sweep_autoencoders, inputs, **options)
            return [self._measured(result, best) for result, best in kept]
        if (self.effort.search or "halving") == "halving":
            # A single short run tells too little, but all learning rates for all epochs would take days.
            # Hebb's rule is run alone and keeps growing: its short runs are not informative.
            saves_epochs = is_large and "hebb" not in self.experiment.rules
            found = halving(
                context.sweep_autoencoders,
                inputs,
                saves="epochs" if saves_epochs else "trials",
                finalists=1 if is_large else 3,
                **options,
            )
            return [self._measured(search.result, search.best) for search in found]
        result = context.sweep_autoencoders(inputs, **options)
        return [self._measured(result, best) for best in result.best("all")]

    def _measured(self, result: SweepResult, best: Best) -> Measured:
        per_trial = {
            "mae_mean": result.trials_of(best).mean(axis=1),
            "mean_hidden_activity": result.trials_of(best, "hidden_activity").mean(axis=1),
        }
        return measured(self._cell(best.rule), per_trial, best)

    def _cell(self, rule: str) -> dict[str, str]:
        return {
            "dataset": self.dataset,
            "output_activation": self.output,
            "hidden_activation": self.hidden,
            "rule": rule,
        }


def n_hidden(n_inputs: int) -> int:
    """Return a quarter of the inputs, rounded half up: 31 for ADULT, 32 for CONNECT."""
    return int(n_inputs / 4 + 0.5)
