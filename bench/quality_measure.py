"""How bench/quality.py measures: what a contender predicts, and how good that is."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from quality_adapters import Constant, Task
from quality_data import Data
from quality_rows import ROWS, Row, standardised
from scipy.sparse import issparse
from sklearn.metrics import accuracy_score, mean_poisson_deviance, mean_squared_error
from timing import library_threads

BLOCK = 10
"""Examples of a stream that are predicted before they are learned, unless a model has its own `block`."""

WORST = -100.0
"""A score below this, or none at all, counts as divergence."""


def measure(row: Row, form: str, make: Any, seed: int) -> float | None:
    """Return the score of one contender on the data of one seed; None if it has diverged."""
    data = data_of(row.name, form, seed)
    task = task_of(row, data, seed)
    model = make(task)
    with warnings.catch_warnings(), np.errstate(all="ignore"), library_threads(1):
        warnings.simplefilter("ignore")
        try:
            predicted = predictions(model, data, task)
            found = score(row, truth(data), predicted, predictions(Constant(task), data, task))
        except ArithmeticError:
            return None
        except ValueError as error:  # scikit-learn's error for numbers that are not finite
            if not any(word in str(error) for word in ("overflow", "infinity", "NaN")):
                raise
            return None
    return found if found >= WORST else None  # false for NaN as well


@lru_cache(maxsize=6)
def data_of(name: str, form: str, seed: int) -> Data:
    """Return the data of a row by its name."""
    (row,) = (row for row in ROWS if row.name == name)
    data = row.make(seed)
    return standardised(data, row.kind) if form == "standardised" else data


def task_of(row: Row, data: Data, seed: int) -> Task:
    """Return what has to be learned."""
    n_classes = len(np.unique(data.targets)) if row.target == "classes" else 0
    return Task(row.kind, row.target, n_classes, data.inputs.shape[1], issparse(data.inputs), seed)


def predictions(model: Any, data: Data, task: Task) -> Any:
    """Return what is predicted for the test set, or for a stream without its first block."""
    if task.kind == "batch":
        model.fit(data.inputs, data.targets)
        return model.predict(data.test_inputs)
    predicted = []
    for block in blocks(data.targets.shape[0], getattr(model, "block", None) or BLOCK):
        X, y = data.inputs[block], data.targets[block]
        if task.kind == "stream" and block.start:
            predicted.append(model.predict(X))
        announced = {} if block.start or not task.n_classes else {"classes": np.arange(task.n_classes)}
        model.partial_fit(X, y, **announced)
    return np.concatenate(predicted) if task.kind == "stream" else model.predict(data.test_inputs)


def blocks(n: int, size: int) -> list[slice]:
    """Return the first BLOCK examples, which all learn without predicting, and then pieces of a size."""
    return [slice(0, BLOCK), *(slice(start, start + size) for start in range(BLOCK, n, size))]


def truth(data: Data) -> Any:
    """Return what should have been predicted."""
    return data.targets[BLOCK:] if data.test_targets is None else data.test_targets


def score(row: Row, expected: Any, predicted: Any, constant: Any) -> float:
    """Return the accuracy, or the part of the deviance of the (running) mean that is explained: R² and D²."""
    if row.target == "classes":
        return float(accuracy_score(expected, predicted))
    if row.target == "numbers":
        return 1 - mean_squared_error(expected, predicted) / mean_squared_error(expected, constant)
    least = 1e-9  # the deviance of a predicted rate of zero is infinite
    return 1 - mean_poisson_deviance(expected, np.maximum(predicted, least)) / mean_poisson_deviance(
        expected, constant
    )
