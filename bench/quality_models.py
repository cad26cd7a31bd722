"""The contenders of bench/quality.py, each called as its own manual advises.

A contender has `fit` for batches, `partial_fit` for one pass in the given order, and `predict`. Classes are
whole numbers from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from quality_rows import Kind, Target
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge, SGDClassifier, SGDRegressor

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor

VW_PASSES = 20


class Task(NamedTuple):
    """What a contender has to learn."""

    kind: Kind
    target: Target
    n_classes: int
    seed: int


class Contender(NamedTuple):
    """A column: how its model is made (None where it has none), and the package that it comes from."""

    make: Callable[[Task], Any]
    package: str
    is_online: bool = True
    """Whether it learns example by example, at a cost that is linear in the number of inputs."""


class Constant:
    """The most frequent class, or the mean target, so far: what a useful model is better than."""

    def __init__(self, task: Task) -> None:
        self.n_classes = task.n_classes
        self.seen = np.empty(0)

    def fit(self, X: Any, y: Any) -> None:
        """Learn all examples."""
        self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> None:
        """Learn the examples in turn."""
        self.seen = np.concatenate([self.seen, y])

    def predict(self, X: Any) -> Any:
        """Return the same for all."""
        if self.n_classes:
            return np.full(X.shape[0], np.bincount(self.seen.astype(int)).argmax())
        return np.full(X.shape[0], self.seen.mean())


def ours(task: Task, **parameters: Any) -> Any:
    """Return our estimators as they come, or with other parameters."""
    if task.target == "classes":
        return HebbianDescentClassifier(random_state=task.seed, **parameters)
    activation = {"numbers": "linear", "counts": "exponential"}[task.target]
    return HebbianDescentRegressor(activation=activation, random_state=task.seed, **parameters)


CONTENDERS = {
    "ours": Contender(ours, "hebbian-descent"),
    "constant": Contender(Constant, "numpy", is_online=False),
}
