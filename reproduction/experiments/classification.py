"""Classification: the labels of a dataset as one-hot targets, judged on its test set.

Batches of 100 in a new order every epoch, squared error for every activation; the class is the most active
output, the first one on ties.

Paper: tab:label_learning_centered
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from hebbian_descent.datasets import Split, load
from hebbian_descent.sweep import Best, SweepResult, halving
from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES
from reproduction.context import Context, Effort
from reproduction.experiments.records import Record, records
from reproduction.rows import Rows
from reproduction.running import Job

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
QUICK = {"learning_rates": QUICK_RATES[::2], "trials": 2, "epochs": 2, "patterns": 1000}
CENTERING = {"centered": "mean", "uncentered": None}
LARGE = ("mnist", "cifar")
"""Datasets whose learning rates are searched by successive halving: a grid would take hours."""


@dataclass(frozen=True, eq=False)
class Classification:
    """Datasets with labels, each learned by every rule with every activation."""

    label: str
    title: str
    names: Sequence[str]
    activations: Sequence[str]
    centering: str
    """"centered" or "uncentered"."""

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets that are classified."""
        return frozenset(self.names)

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Yield one job for each dataset and activation."""
        settings = effort.applied_to(PROTOCOL, QUICK)
        for name in self.names:
            for activation in self.activations:
                measure = partial(self._measure, name, activation, settings)
                yield Job(f"{name}-{activation}", measure, settings)

    def _measure(
        self, name: str, activation: str, settings: dict[str, Any], context: Context, _: Rows
    ) -> Iterator[Record]:
        """Train on the training set and count the errors on the test set."""
        for dtype, rules in groupby(RULES, lambda rule: precision(rule, activation)):
            cell = {"dataset": name, "activation": activation}
            for result, best in self._best(name, activation, list(rules), dtype, settings, context):
                per_trial = {"error_mean": result.trials_of(best).mean(axis=1)}
                yield from records({**cell, "rule": best.rule, "centering": self.centering}, per_trial, best)

    def _best(
        self,
        name: str,
        activation: str,
        rules: list[str],
        dtype: type[np.floating[Any]],
        settings: dict[str, Any],
        context: Context,
    ) -> list[tuple[SweepResult, Best]]:
        data, options = load(name, dtype=dtype), dict(settings)
        n = options.pop("patterns")
        options |= {
            "rules": rules,
            "activations": activation,
            "centering": CENTERING[self.centering],
            "evaluate_on": one_hot(data.test or data.train, data.n_classes, n),
            "measures": "misclassification",
            "dtype": dtype,
        }
        learned = one_hot(data.train, data.n_classes, n)
        if name in LARGE:
            # Slow learning rates end with fewer errors, and Hebb's rule keeps growing: short runs mislead.
            found = halving(context.sweep, *learned, saves="trials", **options)
            return [(search.result, search.best) for search in found]
        result = context.sweep(*learned, **options)
        return [(result, best) for best in result.best("all")]


def precision(rule: str, activation: str) -> type[np.floating[Any]]:
    """Return single precision unless units saturate, as under rules that ignore the output.

    A sigmoid is 1 beyond a = 17 in single and beyond 37 in double precision; among several that are, the
    first one is the class.
    """
    ignores_output = rule in ("hebb", "covariance")
    return np.float64 if ignores_output and activation == "sigmoid" else np.float32


def one_hot(split: Split, n_classes: int, n: int | None = None) -> tuple[Any, Any]:
    """Return the inputs and the one-hot labels of the first n patterns."""
    if split.labels is None:
        raise ValueError("A dataset to classify must have labels. Got one without.")
    return split.inputs[:n], np.eye(n_classes, dtype=split.inputs.dtype)[split.labels[:n]]
