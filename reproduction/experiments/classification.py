"""Classification: the labels of a dataset as one-hot targets, judged on its test set.

Batches of 100 in a new order every epoch, squared error for every activation; the class is the most active
output, the first one on ties.

Paper: tab:label_learning_centered
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from hebbian_descent.datasets import Split, load
from hebbian_descent.sweep import Best, SweepResult, halving
from reproduction.experiments.base import Experiment, Job, Measured, measured, with_kept_rates
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.run_context import SEARCHES, Effort, RunContext, Search

RULES = ("gradient_descent", "hebbian_descent", "hebb", "covariance")

PROTOCOL: Mapping[str, Any] = {
    "learning_rates": LEARNING_RATES,
    "trials": 10,
    "epochs": 100,
    "batch_size": 100,
    "patterns": None,
    "seed": 0,
}
"""Settings that the paper's tables share; patterns is how many of each set, None for all."""

CENTERING = {"centered": "mean", "uncentered": None}


@dataclass(frozen=True, eq=False)
class Classification(Experiment):
    """Datasets with labels, each learned by every rule with every activation."""

    names: Sequence[str]
    activations: Sequence[str]
    centering: str
    """"centered" or "uncentered"."""

    searches = SEARCHES
    protocol = PROTOCOL
    quick = {"learning_rates": QUICK_RATES[::2], "trials": 2, "epochs": 2, "patterns": 1000}  # noqa: RUF012

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets that are classified."""
        return frozenset(self.names)

    def jobs(self, effort: Effort) -> Iterator[ClassificationJob]:
        """Yield one job for each dataset and activation."""
        for name in self.names:
            for activation in self.activations:
                yield ClassificationJob(self, effort, name, activation)


@dataclass(frozen=True, eq=False)
class ClassificationJob(Job):
    """All rules on one dataset with one activation."""

    experiment: Classification
    effort: Effort
    dataset: str
    activation: str

    @property
    def name(self) -> str:  # type: ignore[override]  # read-only here
        """Such as adult-sigmoid."""
        return f"{self.dataset}-{self.activation}"

    def run(self, context: RunContext) -> list[Measured]:
        """Train on the training set and count the errors on the test set."""
        alike = groupby(RULES, lambda rule: precision(rule, self.activation))
        return [row for dtype, rules in alike for row in self._run(context, list(rules), dtype)]

    def _run(self, context: RunContext, rules: list[str], dtype: type[np.floating[Any]]) -> list[Measured]:
        settings = self.effort.applied_to(self.experiment.protocol, self.experiment.quick)
        data = load(self.dataset, dtype=dtype)
        train, test = data.train, data.test or data.train
        n_patterns = settings.pop("patterns")
        inputs, targets = one_hot(train, data.n_classes, n_patterns)
        options = {
            "rules": rules,
            "activations": self.activation,
            "centering": CENTERING[self.experiment.centering],
            "evaluate_on": one_hot(test, data.n_classes, n_patterns),
            "measures": "misclassification",
            "dtype": dtype,
            **settings,
        }
        if self.effort.search == "kept":
            rates = {rule: context.rate_of(self._cell(rule)) for rule in rules}
            kept = with_kept_rates(rates, context.sweep, inputs, targets, **options)
            return [self._measured(result, best) for result, best in kept]
        if (self.effort.search or search_of(self.dataset)) == "halving":
            # Slow learning rates end with fewer errors, and Hebb's rule keeps growing: short runs mislead.
            found = halving(context.sweep, inputs, targets, saves="trials", **options)
            return [self._measured(search.result, search.best) for search in found]
        result = context.sweep(inputs, targets, **options)
        return [self._measured(result, best) for best in result.best("all")]

    def _measured(self, result: SweepResult, best: Best) -> Measured:
        return measured(self._cell(best.rule), {"error_mean": result.trials_of(best).mean(axis=1)}, best)

    def _cell(self, rule: str) -> dict[str, str]:
        return {
            "dataset": self.dataset,
            "activation": self.activation,
            "rule": rule,
            "centering": self.experiment.centering,
        }


def precision(rule: str, activation: str) -> type[np.floating[Any]]:
    """Return single precision unless units saturate, as under rules that ignore the output.

    A sigmoid is 1 beyond a = 17 in single and beyond 37 in double precision; among several that are, the
    first one is the class.
    """
    ignores_output = rule in ("hebb", "covariance")
    return np.float64 if ignores_output and activation == "sigmoid" else np.float32


def search_of(dataset: str) -> Search:
    """Return the default search of learning rates: halving for large datasets, else the grid."""
    return "halving" if dataset in ("mnist", "cifar") else "grid"


def one_hot(split: Split, n_classes: int, n: int | None = None) -> tuple[Any, Any]:
    """Return the inputs and the one-hot labels of the first n patterns."""
    if split.labels is None:
        raise ValueError("A dataset to classify must have labels. Got one without.")
    return split.inputs[:n], np.eye(n_classes, dtype=split.inputs.dtype)[split.labels[:n]]
