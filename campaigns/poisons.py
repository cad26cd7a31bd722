"""Hostile finite numbers, in one call of everything that learns.

The call learns and leaves finite numbers, or raises and leaves everything as it was; calls with sane numbers
work afterwards. Where the learning rate is fixed, or multiplied by a hostile sample weight, no size of input
is safe in itself: there a later call may still find that learning has diverged, and say so.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.campaign import Campaign
from campaigns.snapshots import is_finite, is_same, snapshot
from hebbian_descent import (
    AssociativeMemory,
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    TargetRangeWarning,
    train,
)
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.network import ACTIVATIONS

N_INPUTS, N_ROWS = 6, 40
HOSTILE = {
    np.float32: (1e5, 1e10, 1e15, 1e18, 1e19, 1e20, 1e30, 3.4e38, 1e-40),
    np.float64: (1e5, 1e20, 1e50, 1e76, 1e100, 1e150, 1e153, 1e155, 1e200, 1.7e308, 1e-310),
}
RULES = ("hebbian_descent", "gradient_descent", "hebb", "contrastive")


def trial(number: int, folder: Path) -> str:
    """Make one learner, show it one hostile call and then sane ones."""
    rng, data = Random(number), np.random.default_rng(number)
    dtype = rng.choice(tuple(HOSTILE))
    X = data.normal(size=(N_ROWS, N_INPUTS)).astype(dtype)
    scores = X @ data.normal(size=(N_INPUTS, 3)).astype(dtype)
    make = rng.choice((classifier, regressor, autoencoder, memory, layer))
    rate = rng.choice(("auto", 0.1, 0.001))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TargetRangeWarning)  # hostile targets are intended
        # Raised by scikit-learn's own check when it adds up numbers near the largest.
        warnings.filterwarnings("ignore", "invalid value encountered in reduce")
        return poisoned(rng, make(rng, rate, X, scores), is_fixed=rate != "auto" or make is layer)


def poisoned(rng: Random, learner: Learner, *, is_fixed: bool) -> str:
    """Make a hostile call and sane ones to a learner; return the outcome."""
    n_sane = N_ROWS // 2
    for _ in range(rng.randrange(3)):
        try:
            learner.learn(learner.X[:n_sane], learner.Y[:n_sane])
        except DivergenceError:
            assert is_fixed
            return "diverged before"
    X, Y = learner.X[n_sane:].copy(), learner.Y[n_sane:].copy()
    kinds = ["input", "inputs", "weight"] if learner.takes_weights else ["input", "inputs"]
    kind = rng.choice([*kinds, "target"] if Y.dtype.kind == "f" else kinds)
    value = rng.choice((-1, 1)) * rng.choice(HOSTILE[X.dtype.type])
    row = rng.choice((0, 1, n_sane // 2, n_sane - 1))
    weights = np.ones(n_sane, X.dtype) if kind == "weight" else None
    if kind == "input":
        X[row, rng.randrange(N_INPUTS)] = value
    elif kind == "inputs":
        X[row] = value * np.sign(X[row])
    elif kind == "target":
        Y[row] = value
    else:
        weights[row] = abs(value)
    rows = slice(row, row + 1) if rng.random() < 0.4 else slice(None)
    before = snapshot(learner.it)
    # Memories refuse patterns beyond the limit of activities, and nothing smaller.
    is_beyond = isinstance(learner.it, AssociativeMemory) and abs(value) > LARGEST_PREACTIVATION
    is_checked = kind == "weight" or is_beyond
    refusals = (DivergenceError, ValueError) if is_checked else (DivergenceError,)
    try:
        learner.learn(X[rows], Y[rows], None if weights is None else weights[rows], whole=rng.random() < 0.3)
    except refusals:
        assert is_same(before, snapshot(learner.it)), "a call that raised left its traces"
        outcome = "refused"
    else:
        outcome = "learned"
    assert is_finite(snapshot(learner.it)), "not finite"
    try:
        for _ in range(2):
            learner.learn(learner.X[:n_sane], learner.Y[:n_sane])
    except DivergenceError:
        assert is_fixed or kind == "weight", f"sane numbers are refused after a call that {outcome}"
        outcome += ", then diverged"
    assert is_finite(snapshot(learner.it)), "not finite later"
    return outcome


class Learner:
    """A learner, with data that suit it."""

    def __init__(self, it: Any, X: Any, Y: Any, *, takes_weights: bool = False) -> None:
        self.it, self.X, self.Y, self.takes_weights = it, X, Y, takes_weights

    def learn(self, X: Any, Y: Any, weights: Any = None, *, whole: bool = False) -> None:
        """Learn some samples, as a stream or as a `whole`."""
        more = {} if weights is None else {"sample_weight": weights}
        if isinstance(self.it, AssociativeMemory):
            self.it.store(X, *([] if self.it.auto else [Y]))
        elif isinstance(self.it, Layer):
            train(self.it, X, Y, learning_rate=0.1, shift=0.05, batch_size=1 + 3 * whole)
        elif whole:
            self.it.fit(X, Y, **more)
        else:
            self.it.partial_fit(X, Y, **more)


def settings(rng: Random, rate: Any) -> dict[str, Any]:
    """Draw what all estimators have in common."""
    centering = rng.choice(("auto", "moving", None))
    return {
        "rule": rng.choice(RULES),
        "learning_rate": rate,
        "centering": centering,
        "offset_start": rng.choice((None, 0.5)) if centering == "moving" else None,
        "weight_decay": rng.choice((0.0, 0.01)),
        "batch_size": rng.choice((1, 1, 4)),
        "epochs": 2,
        "random_state": 0,
        "warm_start": rng.random() < 0.5,
    }


def classifier(rng: Random, rate: Any, X: Any, scores: Any) -> Learner:
    """Return a classifier of three classes."""
    it = HebbianDescentClassifier(activation=rng.choice(tuple(ACTIVATIONS)), **settings(rng, rate))
    return Learner(it, X, scores.argmax(axis=1), takes_weights=True)


def regressor(rng: Random, rate: Any, X: Any, scores: Any) -> Learner:
    """Return a regressor of two targets between 0 and 1."""
    it = HebbianDescentRegressor(activation=rng.choice(tuple(ACTIVATIONS)), **settings(rng, rate))
    return Learner(it, X, 1 / (1 + np.exp(-scores[:, :2])), takes_weights=True)


def autoencoder(rng: Random, rate: Any, X: Any, scores: Any) -> Learner:
    """Return an auto-encoder, for which labels mean nothing."""
    hidden = rng.choice(("sigmoid", "scaled_tanh", "softsign"))
    it = HebbianDescentAutoencoder(n_hidden=3, hidden_activation=hidden, **settings(rng, rate))
    return Learner(it, X, scores.argmax(axis=1))


def memory(rng: Random, rate: Any, X: Any, scores: Any) -> Learner:
    """Return a memory of pairs, or of patterns alone."""
    kind = rng.choice(({"n_outputs": 2}, {"auto": "layer"}, {"auto": "autoencoder", "n_hidden": 3}))
    it = AssociativeMemory(
        N_INPUTS, learning_rate=rate, activation=rng.choice(("sigmoid", "linear", "scaled_tanh")), **kind
    )
    return Learner(it, X, 1 / (1 + np.exp(-scores[:, :2])))


def layer(rng: Random, rate: Any, X: Any, scores: Any) -> Learner:
    """Return a layer, which `train` trains."""
    it = Layer.create(
        N_INPUTS, 2, activation=rng.choice(tuple(ACTIVATIONS)), rng=np.random.default_rng(0), dtype=X.dtype
    )
    return Learner(it, X, 1 / (1 + np.exp(-scores[:, :2])))


CAMPAIGN = Campaign(
    title="Hostile finite numbers in a call that learns",
    promise="learned and finite, or refused and everything as before; sane numbers are learned afterwards",
    trial=trial,
    goal=50_000,
    in_tests=300,
    seconds=120.0,  # the first trials compile
)
