"""Long streams, interspersed with hostile numbers and interrupts.

A twin sees only the calls that succeeded: what was refused or interrupted has left no trace if both hold the
same bits. Most updates go through the compiled loop of the estimators; some hundreds of each trial go through
a memory or an auto-encoder, which learn with NumPy.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.campaign import Campaign
from campaigns.interrupts import interrupted
from campaigns.snapshots import is_finite, is_same, snapshot
from hebbian_descent import (
    AssociativeMemory,
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
)
from hebbian_descent.network import ACTIVATIONS

N_UPDATES, N_SLOW = 100_000, 200
SIZES = (1, 1, 2, 7, 100, 3000, 12_000)
LINES_OF_A_CALL = 150
REFUSED = (np.nan, np.inf, 1e20, 3e38), (np.nan, -np.inf, 1e155, 1.7e308)  # in float32, in float64
OUTLIER = 1e4  # a number that most units can learn from


def trial(number: int, folder: Path) -> str:
    """Show one stream to an estimator, and a shorter one to a learner that uses NumPy."""
    rng = Random(number)
    stream(rng, rng.choice((classifier, regressor)), N_UPDATES, number)
    stream(rng, rng.choice((memory, autoencoder)), N_SLOW, number)
    return "no trace"


def stream(rng: Random, make: Any, n_updates: int, seed: int) -> None:
    """Learn so many samples in calls of many sizes, with refusals and interrupts in between."""
    data, draw = np.random.default_rng(seed), rng.getrandbits(32)
    dtype = rng.choice((np.float32, np.float64))
    n_inputs = rng.randrange(2, 40)
    it, twin = make(Random(draw), n_inputs), make(Random(draw), n_inputs)
    teacher, drift = data.normal(size=(n_inputs, 3)), data.normal(size=n_inputs) / n_updates
    n_seen = 0
    while n_seen < n_updates:
        n = min(rng.choice(SIZES if n_updates > N_SLOW else SIZES[:4]), n_updates - n_seen)
        X = data.normal(size=(n, n_inputs))
        Y = X @ teacher
        X = (X + n_seen * drift).astype(dtype)
        event = rng.choice(("none",) * 6 + ("outlier", "hostile", "hostile", "interrupt"))
        row = rng.randrange(n)
        if event == "outlier" and n_seen < n_updates / 2:
            X[row, rng.randrange(n_inputs)] = OUTLIER
        elif event == "hostile":
            X[row, rng.randrange(n_inputs)] = rng.choice(REFUSED[dtype is np.float64])
        before = snapshot(it)
        try:
            if event == "interrupt":
                with interrupted(rng.randrange(1, LINES_OF_A_CALL)):
                    learn(it, X, Y)
            else:
                learn(it, X, Y)
        except (DivergenceError, ValueError):
            assert event in ("hostile", "outlier"), "sane numbers were refused"
            assert is_same(before, snapshot(it)), "a call that was refused left its traces"
            continue
        except KeyboardInterrupt:
            if is_same(before, snapshot(it)):
                continue
        n_seen += n
        learn(twin, X, Y)
        assert is_finite(snapshot(it)), "not finite"
        assert seen(it) == n_seen, f"{seen(it)} counted, {n_seen} seen"
    assert is_same(snapshot(it), snapshot(twin)), "a call that was lost left its traces"


def learn(it: Any, X: Any, Y: Any) -> None:
    """Show samples, with their targets in the form that the learner takes."""
    if isinstance(it, AssociativeMemory):
        it.store(X, 1 / (1 + np.exp(-Y)))
    elif isinstance(it, HebbianDescentClassifier):
        it.partial_fit(X, Y.argmax(axis=1))
    else:
        it.partial_fit(X, 1 / (1 + np.exp(-Y)))


def seen(it: Any) -> int:
    """Return how many samples a learner reports to have learned."""
    return int(it.n_stored if isinstance(it, AssociativeMemory) else it.n_samples_seen_)


def settings(rng: Random) -> dict[str, Any]:
    """Draw what all estimators have in common; the automatic rate is the one that is safe with outliers."""
    centering = rng.choice(("auto", "moving", None))
    return {
        "rule": rng.choice(("hebbian_descent", "contrastive")),
        "centering": centering,
        "offset_start": rng.choice((None, 0.5)) if centering == "moving" else None,
        "weight_decay": rng.choice((0.0, 1e-4)),
        "random_state": 0,
    }


def classifier(rng: Random, n_inputs: int) -> Any:
    """Return a classifier."""
    return HebbianDescentClassifier(activation=rng.choice(tuple(ACTIVATIONS)), **settings(rng))


def regressor(rng: Random, n_inputs: int) -> Any:
    """Return a regressor."""
    return HebbianDescentRegressor(activation=rng.choice(tuple(ACTIVATIONS)), **settings(rng))


def autoencoder(rng: Random, n_inputs: int) -> Any:
    """Return an auto-encoder."""
    return HebbianDescentAutoencoder(hidden_activation=rng.choice(("sigmoid", "softsign")), **settings(rng))


def memory(rng: Random, n_inputs: int) -> Any:
    """Return a memory of pairs."""
    return AssociativeMemory(n_inputs, 3, activation=rng.choice(("sigmoid", "linear", "softplus")))


CAMPAIGN = Campaign(
    title="Updates in long streams, with hostile numbers and interrupts strewn in",
    promise="finite and rightly counted; what was refused or interrupted leaves no trace in any bit",
    trial=trial,
    goal=100_000_000,
    in_tests=4,
    per_trial=N_UPDATES,
    block=20,
    seconds=600.0,  # the first trials compile, which takes minutes where much else runs
)
