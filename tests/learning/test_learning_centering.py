"""One vocabulary of centering: the same words, defaults and offsets in every interface."""

import inspect

import numpy as np
import pytest

from hebbian_descent import (
    AssociativeMemory,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    train,
)
from hebbian_descent.learning.centering import (
    HIDDEN_SHIFT,
    SHIFT,
    Offset,
    as_centering,
    as_start,
    hidden_offset,
    offset_in_fit,
    offset_in_stream,
)
from hebbian_descent.sweep import sweep

RNG = np.random.default_rng(2)
X, T = RNG.random((40, 5)) + 1, RNG.random((40, 3))
LABELS = np.arange(40) % 3
FACES = [
    AssociativeMemory,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    sweep,
]


@pytest.mark.parametrize("face", FACES)
def test_defaults_are_the_same_everywhere(face):
    defaults = {name: given.default for name, given in inspect.signature(face).parameters.items()}
    assert defaults["shift"] == SHIFT
    assert defaults.get("offset_start") is None
    assert defaults.get("hidden_shift", HIDDEN_SHIFT) == HIDDEN_SHIFT


def moved(start, shift, running):
    mu = np.full(5, start)
    for n, x in enumerate(X, start=1):
        mu = mu + (max(shift, 1 / n) if running else shift) * (x - mu)
    return mu


@pytest.mark.parametrize(
    ("start", "running"), [(None, True), (0.5, False)], ids=["mean", "the paper's start"]
)
def test_a_moving_offset_goes_the_same_way_in_every_face(start, running):
    settings = {"centering": "moving", "shift": 0.04, "offset_start": start}
    memory = AssociativeMemory(5, 3, **settings)
    memory.store(X, T)
    classifier = HebbianDescentClassifier(**settings).partial_fit(X, LABELS)
    regressor = HebbianDescentRegressor(**settings, epochs=1, shuffle=False).fit(X, T)
    encoder = HebbianDescentAutoencoder(2, **settings).partial_fit(X)
    layer = Layer.create(5, 3, offset=start or 0.0, rng=np.random.default_rng(0))
    train(layer, X, T, shift=0.04, running_mean=running)
    expected = moved(start or 0.0, 0.04, running)
    found = (memory.network.offset, classifier.offset_, regressor.offset_, encoder.offset_, layer.offset)
    for offset in found:
        np.testing.assert_allclose(offset, expected, rtol=1e-12)


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize(
    ("start", "running"), [(None, True), (0.5, False)], ids=["mean", "the paper's start"]
)
def test_a_moving_offset_counts_all_patterns_of_batches_and_epochs(start, running, batch_size):
    mu, n = np.full(5, start or 0.0), 0
    for first in [*range(0, 40, batch_size)] * 3:
        batch = X[first : first + batch_size]
        n += len(batch)
        mu = mu + (max(0.02, len(batch) / n) if running else 0.02) * (batch.mean(axis=0) - mu)
    settings = {"shift": 0.02, "batch_size": batch_size, "learning_rate": 0.01, "shuffle": False}
    regressor = HebbianDescentRegressor(centering="moving", offset_start=start, epochs=3, **settings)
    layer = Layer.create(5, 3, offset=start or 0.0, rng=np.random.default_rng(0))
    train(layer, X, T, epochs=3, running_mean=running, **settings)
    for offset in (layer.offset, regressor.fit(X, T).offset_):
        np.testing.assert_allclose(offset, mu, rtol=1e-12)


@pytest.mark.parametrize(
    "centering", [1.5, X.mean(axis=0), X.mean(axis=0).tolist()], ids=["one", "array", "list"]
)
def test_numbers_are_an_offset_that_stays(centering):
    memory = AssociativeMemory(5, 3, centering=centering)
    memory.store(X, T)
    learners = [
        HebbianDescentClassifier(centering=centering).partial_fit(X, LABELS),
        HebbianDescentRegressor(centering=centering).fit(X, T),
        HebbianDescentAutoencoder(2, centering=centering).fit(X),
    ]
    for offset in (memory.network.offset, *(learner.offset_ for learner in learners)):
        np.testing.assert_array_equal(offset, np.broadcast_to(centering, 5))
    for learner in learners:
        assert "centering on given numbers" in learner.describe()
    for learner, y in zip(learners, (LABELS, T, None), strict=True):
        learner.set_params(centering=np.ones(5)).partial_fit(X, y)


@pytest.mark.parametrize("kind", [HebbianDescentRegressor, HebbianDescentAutoencoder])
def test_the_papers_start_is_described(kind):
    learner = kind(centering="moving", offset_start=0.5)
    assert "moving centering that starts at 0.5" in learner.describe()


def test_a_running_mean_is_the_mean_until_it_forgets():
    offset = Offset(shift=0.05, starts_as_mean=True)
    mu = np.zeros(5)
    for n, x in enumerate(X[:20], start=1):
        mu += offset.shift_after(n) * (x - mu)
    np.testing.assert_allclose(mu, X[:20].mean(axis=0))
    assert offset.shift_after(1000) == Offset(shift=0.05).shift_after(1) == 0.05
    assert offset.shift_after(8, 4) == 0.5  # half of eight patterns are new


def test_hidden_units_follow_a_running_mean_that_counts_its_start():
    assert hidden_offset("moving", 0.01).shift_after(1) == 0.5
    assert hidden_offset("moving", 0.01).shift_after(1000) == 0.01
    assert hidden_offset("moving", 0.01, start=0.5).shift_after(1) == 0.01
    assert hidden_offset(None, 0.01) == Offset()


def test_words():
    assert offset_in_fit("auto", 0.1) == offset_in_fit("mean", 0.1) == Offset(takes_data_mean=True)
    assert offset_in_stream("auto", 0.1) == offset_in_stream("moving", 0.1)
    assert offset_in_stream("moving", 0.1, 0.5) == Offset(0.5, shift=0.1)
    assert offset_in_stream(None, 0.1) == Offset()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: as_centering("meen"), "Did you mean 'mean'"),
        (lambda: as_centering([np.nan]), "all finite. Got"),
        (lambda: as_centering(np.ones((2, 2))), "must be one, or one for each input"),
        (lambda: as_centering(np.ones(3), 4), "must be one number or 4. Got 3"),
        (lambda: as_start(0.5, "mean"), "Only a moving offset has a start. Got offset_start=0.5"),
        (lambda: offset_in_stream("mean", 0.1), "needs the mean of the whole data, which partial_fit"),
        (
            lambda: HebbianDescentRegressor(centering=np.ones(4)).fit(X, T),
            "one number or 5, one per input. Got 4",
        ),
    ],
)
def test_what_is_not_understood_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
