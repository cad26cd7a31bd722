"""Contenders of bench/quality.py that need more than a call: other interfaces, and two short ones.

All have `fit` for batches or `partial_fit` for one pass in the given order, and `predict`. Classes are whole
numbers from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from quality_rows import Kind, Target
from scipy.sparse import issparse

VW_PASSES = 20
RIDGE = 10.0
"""Ridge of least squares, for standardised inputs: as if so many examples had said that weights are zero."""


class Task(NamedTuple):
    """What a contender has to learn."""

    kind: Kind
    target: Target
    n_classes: int  # 0 if targets are numbers or counts
    n_inputs: int
    is_sparse: bool
    seed: int


class Constant:
    """The most frequent class, or the mean target, so far: any useful model is better."""

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


class LeastSquares:
    """Ridge regression on all examples so far: second order, and independent of their order.

    It keeps the sums of products of all pairs of inputs, so an example costs the square of their number.
    """

    def __init__(self, task: Task) -> None:
        self.n_classes = task.n_classes
        self.n_seen = 0
        self.inputs, self.targets, self.products, self.with_targets = (np.zeros(1),) * 4

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> None:
        """Learn the examples; the order does not matter."""
        T = np.eye(self.n_classes)[y] if self.n_classes else y[:, np.newaxis]
        self.n_seen += len(X)
        self.inputs = self.inputs + X.sum(axis=0)
        self.targets = self.targets + T.sum(axis=0)
        self.products = self.products + X.T @ X
        self.with_targets = self.with_targets + X.T @ T

    def predict(self, X: Any) -> Any:
        """Return numbers or classes."""
        n, mean, target = self.n_seen, self.inputs / self.n_seen, self.targets / self.n_seen
        covariance = self.products / n - np.outer(mean, mean)
        deviation = np.sqrt(np.maximum(covariance.diagonal(), 1e-18))
        correlation = covariance / np.outer(deviation, deviation) + RIDGE / n * np.eye(len(mean))
        with_targets = (self.with_targets / n - np.outer(mean, target)) / deviation[:, np.newaxis]
        output = (X - mean) / deviation @ np.linalg.solve(correlation, with_targets) + target
        return output.argmax(axis=1) if self.n_classes else output[:, 0]


class ScaledTargets:
    """A regressor whose steps suit targets around 1, given them less a mean, divided by a deviation.

    Both are those of the first examples that it learns: of a whole batch, or of the first block of a stream.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.block = getattr(model, "block", None)
        self.mean: float | None = None
        self.deviation = 1.0

    def fit(self, X: Any, y: Any) -> None:
        """Learn all examples."""
        self.model.fit(X, self._scaled(y))

    def partial_fit(self, X: Any, y: Any) -> None:
        """Learn the examples in turn."""
        self.model.partial_fit(X, self._scaled(y))

    def predict(self, X: Any) -> Any:
        """Return numbers on the scale of the targets."""
        return self.model.predict(X) * self.deviation + self.mean

    def _scaled(self, y: Any) -> Any:
        if self.mean is None:
            self.mean, self.deviation = y.mean(), y.std()
        return (y - self.mean) / self.deviation


class River:
    """River's linear models behind a scaler, as in its manual; they take one example at a time."""

    block = 1

    def __init__(self, task: Task) -> None:
        from river import linear_model, preprocessing

        if task.target == "numbers":
            model: Any = linear_model.LinearRegression(intercept_lr=0.1)
        elif task.n_classes == 2:
            model = linear_model.LogisticRegression()
        else:
            model = linear_model.SoftmaxRegression()
        self.model = model if task.is_sparse else preprocessing.StandardScaler() | model

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> None:
        """Learn the examples in turn."""
        for x, target in zip(dictionaries(X), y, strict=True):
            self.model.learn_one(x, target.item())

    def predict(self, X: Any) -> Any:
        """Return numbers or classes."""
        return np.array([self.model.predict_one(x) for x in dictionaries(X)], dtype=float)


def dictionaries(X: Any) -> Iterator[dict[int, float]]:
    """Yield examples by the number of the column; a sparse matrix without its zeros."""
    for row in X:
        if issparse(row):
            yield dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        else:
            yield dict(enumerate(row.tolist()))


class VowpalWabbit:
    """Vowpal Wabbit with defaults and the loss that suits the targets; one example at a time, or passes."""

    block = 1

    def __init__(self, task: Task) -> None:
        losses = {"classes": "logistic", "numbers": "squared", "counts": "poisson --link poisson"}
        self.first_class = 1 if task.n_classes > 2 else 0
        self.n_classes = task.n_classes
        several = f"--oaa {task.n_classes} " if task.n_classes > 2 else ""
        n_weights = task.n_inputs * max(task.n_classes, 1)
        bits = max(18, n_weights.bit_length())  # 18 by default; weights should not collide
        self.options = f"{several}--loss_function {losses[task.target]} --bit_precision {bits} --quiet"
        self.model: Any = None

    def fit(self, X: Any, y: Any) -> None:
        """Learn all examples in several passes over a cache; every tenth is held out for early stopping."""
        with TemporaryDirectory() as folder:
            text = Path(folder) / "examples.txt"
            text.write_text("\n".join(map(self._line, dictionaries(X), y)) + "\n")
            self._start(f"--data {text} --cache_file {text}.cache --passes {VW_PASSES}")

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> None:
        """Learn the examples in turn."""
        if self.model is None:
            self._start()
        for x, target in zip(dictionaries(X), y, strict=True):
            self.model.learn(self._line(x, target))

    def predict(self, X: Any) -> Any:
        """Return numbers or classes."""
        found = np.array([self.model.predict(self._line(x)) for x in dictionaries(X)])
        return found > 0 if self.n_classes == 2 else found - self.first_class

    def _start(self, options: str = "") -> None:
        from vowpalwabbit import Workspace

        self.model = Workspace(f"{self.options} {options}")

    def _line(self, x: dict[int, float], target: Any = None) -> str:
        """Return an example in the text format; two classes are -1 and 1, several are numbered from 1."""
        if target is None:
            label = ""
        elif self.n_classes == 2:
            label = str(2 * target - 1)
        else:
            label = str(target + self.first_class)
        return f"{label} | " + " ".join(f"{column}:{value:.9g}" for column, value in x.items() if value)
