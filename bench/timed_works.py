"""Time this environment's package on request: the worker of `against.py`, one per commit.

Each line of standard input names a piece of work; the answer is one line, the seconds that it took. Only
the public interface that both commits share is called, in the same way. Estimators learn by the plain rule,
without scaling and averages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import ours
from problems import LayerProblem
from timing import library_threads, seconds_of, use_cores
from works import WORKS, drawn_digits

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor

N_EXAMPLES = 20_000
ETA = 0.01


def sweep_of(name: str) -> Callable[[], Any]:
    """Return one of the sweeps of `sweeps.py`."""
    problem = WORKS[name](name).problem
    return partial(ours.run_layers if isinstance(problem, LayerProblem) else ours.run_autoencoder, problem)


def plain(kind: type, **setting: Any) -> Any:
    """Return an estimator that neither scales nor averages."""
    return kind(**setting, scaling=None, average=False)


def epoch(centering: str) -> Callable[[], Any]:
    """Return one online epoch of `fit`, 784 → 10."""
    X, y = drawn_digits(N_EXAMPLES)
    setting = {"learning_rate": ETA, "epochs": 1, "shuffle": False, "centering": centering}
    classifier = plain(HebbianDescentClassifier, **setting)
    return lambda: classifier.fit(X, y)


def chunk() -> Callable[[], Any]:
    """Return one online epoch of `partial_fit`, 784 → 10."""
    X, y = drawn_digits(N_EXAMPLES)
    classifier = plain(HebbianDescentClassifier, learning_rate=ETA, centering="moving")
    return lambda: classifier.partial_fit(X, y)


def one_by_one() -> Callable[[], Any]:
    """Return 200 calls of `partial_fit` with one example each."""
    X, y = drawn_digits(200)
    classifier = plain(HebbianDescentClassifier).partial_fit(X, y)

    def learn() -> None:
        for row in range(len(X)):
            classifier.partial_fit(X[row : row + 1], y[row : row + 1])

    return learn


def regression(dtype: str) -> Callable[[], Any]:
    """Return online regression of images on themselves, 784 → 784."""
    X = np.random.default_rng(0).random((600, 784)).astype(dtype)
    regressor = plain(HebbianDescentRegressor)
    return lambda: regressor.partial_fit(X, X)


TIMED: dict[str, tuple[int, Callable[[], Callable[[], Any]]]] = {
    **{name: (2, partial(sweep_of, name)) for name in WORKS},
    "fit, fixed offset": (1, partial(epoch, "mean")),
    "fit, moving offset": (1, partial(epoch, "moving")),
    "partial_fit": (1, chunk),
    "partial_fit, one example": (1, one_by_one),
    "regression, float64": (1, partial(regression, "float64")),
    "regression, float32": (1, partial(regression, "float32")),
}
"""The number of cores, in descending order, and the function that prepares the work."""


@cache
def ready(name: str) -> Callable[[], Any]:
    """Return a piece of work that has been done once, so that compiling it is not timed."""
    run = TIMED[name][1]()
    run()
    return run


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        name = line.strip()
        with library_threads(use_cores(TIMED[name][0])):
            seconds, _ = seconds_of(ready(name))
        sys.stdout.write(f"{seconds}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
