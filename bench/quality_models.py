"""The contenders of bench/quality.py, each called as its own manual advises."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from quality_adapters import Constant, LeastSquares, River, ScaledTargets, Task, VowpalWabbit
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge, SGDClassifier, SGDRegressor
from sklearn.utils import get_tags

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor


class Contender(NamedTuple):
    """A column: how its model is made (None if it has none), and the package that provides it."""

    make: Callable[[Task], Any]
    package: str
    is_online: bool = True
    """Whether it learns example by example, at a cost that is linear in the number of inputs."""


def ours(task: Task, **parameters: Any) -> Any:
    """Return our estimators with their defaults, or with other parameters."""
    if task.target == "classes":
        model: Any = HebbianDescentClassifier(random_state=task.seed, **parameters)
    else:
        activation = {"numbers": "linear", "counts": "exponential"}[task.target]
        model = HebbianDescentRegressor(random_state=task.seed, **{"activation": activation, **parameters})
    model.describe()  # refuses invalid parameters
    return model if get_tags(model).input_tags.sparse or not task.is_sparse else None


def sgd(task: Task) -> Any:
    """Return stochastic gradient descent with its defaults, for classes on the same loss as ours."""
    if task.target == "classes":
        return SGDClassifier(loss="log_loss", random_state=task.seed)
    return ScaledTargets(SGDRegressor(random_state=task.seed)) if task.target == "numbers" else None


def passive_aggressive(task: Task) -> Any:
    """Return the passive-aggressive algorithm as in scikit-learn's manual since 1.8."""
    options = {"penalty": None, "learning_rate": "pa1", "eta0": 1.0, "random_state": task.seed}
    if task.target == "classes":
        return SGDClassifier(loss="hinge", **options)
    if task.target == "numbers":
        return ScaledTargets(SGDRegressor(loss="epsilon_insensitive", **options))
    return None


def batch_solver(task: Task) -> Any:
    """Return a solver that sees all examples at once, for batches."""
    if task.kind != "batch":
        return None
    makes = {
        "classes": lambda: LogisticRegression(max_iter=1_000),
        "numbers": Ridge,
        "counts": PoissonRegressor,
    }
    return makes[task.target]()


def vowpal_wabbit(task: Task) -> Any:
    """Return Vowpal Wabbit; it finds numbers far from 0 only slowly."""
    return ScaledTargets(VowpalWabbit(task)) if task.target == "numbers" else VowpalWabbit(task)


def river(task: Task) -> Any:
    """Return River's model, for examples that come one at a time."""
    return River(task) if task.kind != "batch" else None


def least_squares(task: Task) -> Any:
    """Return least squares, for examples that come one at a time and have few inputs."""
    return LeastSquares(task) if task.kind != "batch" and not task.is_sparse else None


CONTENDERS = {
    "ours": Contender(ours, "hebbian-descent"),
    "SGD": Contender(sgd, "scikit-learn"),
    "passive-aggressive": Contender(passive_aggressive, "scikit-learn"),
    "River": Contender(river, "river"),
    "Vowpal Wabbit": Contender(vowpal_wabbit, "vowpalwabbit"),
    "batch solver": Contender(batch_solver, "scikit-learn", is_online=False),
    "least squares": Contender(least_squares, "numpy", is_online=False),
    "constant": Contender(Constant, "numpy", is_online=False),
}
VARIANTS = {
    name: Contender(partial(ours, **parameters), "hebbian-descent")
    for name, parameters in {
        "not centered": {"centering": None},
        "not scaled": {"scaling": None},
        "neither": {"centering": None, "scaling": None},
        "not averaged": {"average": False},
        "sigmoid": {"activation": "sigmoid"},
        "sigmoid, not centered": {"activation": "sigmoid", "centering": None},
    }.items()
}
"""Ours without one part or another, to see how much it helps; not contenders."""
