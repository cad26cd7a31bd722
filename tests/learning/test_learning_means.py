"""Rules that learn from targets alone: the means they need, at once or gradually."""

import numpy as np
import pytest

from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    Training,
    train,
)
from hebbian_descent.datasets import draw_pair
from hebbian_descent.measures import identified

RNG = np.random.default_rng(6)
X, T = RNG.random((24, 5)), RNG.random((24, 3))
MEANS = X.mean(axis=0), T.mean(axis=0)


def new_layer():
    return Layer.create(5, 3, offset=0.0, rng=np.random.default_rng(0))


def covariance(x, t, weights, eta):
    """The sum over all patterns, by two passes: imports nothing of the package."""
    return weights + eta * (x - x.mean(axis=0)).T @ (t - t.mean(axis=0))


@pytest.mark.parametrize("size", [1, 2, 6, 24])
def test_parts_with_the_means_of_all_are_all_at_once(size):
    whole, parts = new_layer(), new_layer()
    train(whole, X, T, rule="covariance")
    for start in range(0, 24, size):
        rows = slice(start, start + size)
        train(parts, X[rows], T[rows], rule="covariance", means=MEANS)
    np.testing.assert_array_equal(parts.weights, whole.weights)


@pytest.mark.parametrize("size", [2, 6])
def test_parts_without_them_are_refused_and_change_nothing(size):
    layer = new_layer()
    train(layer, X[:size], T[:size], rule="covariance")
    before = layer.weights.copy()
    with pytest.raises(
        ValueError, match=r"needs the means of all .* Got patterns whose means differ .*Pass means="
    ):
        train(layer, X[size:], T[size:], rule="covariance")
    np.testing.assert_array_equal(layer.weights, before)
    train(layer, X[size:], T[size:], rule="covariance", means=MEANS)
    train(layer, X, T, rule="hebb")  # which does not need them


def test_one_pattern_is_refused():
    with pytest.raises(ValueError, match="Got one pattern, which is its own mean"):
        train(new_layer(), X[:1], T[:1], rule="covariance")


def test_the_same_patterns_again_are_more_epochs():
    layer = new_layer()
    train(layer, X, T, rule="covariance")
    train(layer, X, T, rule="covariance", first_epoch=1)


def test_what_diverged_is_not_remembered():
    layer = new_layer()
    with pytest.raises(ArithmeticError):
        train(layer, 1e9 * X, T, rule="covariance", learning_rate=1.0)
    train(layer, X, T, rule="covariance")


def test_bad_means():
    with pytest.raises(ValueError, match=r"mean input must be one number or 5.*Got \(4,\)"):
        train(new_layer(), X, T, rule="covariance", means=(np.ones(4), np.ones(3)))
    with pytest.raises(ValueError, match="Got an Autoencoder"):
        train(Autoencoder.create(5, 2, rng=np.random.default_rng(0)), X, means=MEANS)


RULES = ["hebb", "covariance"]


@pytest.mark.parametrize("rule", RULES)
def test_a_stream_is_exactly_the_covariance_of_what_it_has_seen(rule):
    memory = AssociativeMemory(5, 3, rule=rule, learning_rate=0.1, shift=0.0)
    start = memory.network.weights.copy()
    for n in range(1, 25):
        memory.store(X[n - 1], T[n - 1])
        expected = covariance(X[:n], T[:n], start, 0.1)
        np.testing.assert_allclose(memory.network.weights, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(memory.target_offset, T.mean(axis=0))
    np.testing.assert_array_equal(memory.network.bias, 0)


def naive_stream(W, shift, eta):
    mu, tau = np.zeros(5), np.zeros(3)
    for n, (x, t) in enumerate(zip(X, T, strict=True), start=1):
        nu = max(shift, 1 / n)
        tau = tau + nu * (t - tau)
        W = W + eta * np.outer(x - mu, t - tau)
        mu = mu + nu * (x - mu)
    return W, mu, tau


@pytest.mark.parametrize("rule", RULES)
def test_every_face_streams_like_the_naive_loop(rule):
    settings = {"rule": rule, "learning_rate": 0.1, "shift": 0.2}
    memory = AssociativeMemory(5, 3, **settings)
    expected, mu, tau = naive_stream(memory.network.weights.copy(), 0.2, 0.1)
    memory.store(X, T)
    np.testing.assert_allclose(memory.network.weights, expected, rtol=1e-11)
    np.testing.assert_allclose(memory.network.offset, mu)
    np.testing.assert_allclose(memory.target_offset, tau)
    layer = AssociativeMemory(5, 3).network
    train(layer, X, T, running_mean=True, **settings)
    np.testing.assert_allclose(layer.weights, expected, rtol=1e-11)
    regressor = HebbianDescentRegressor(average=False, **settings)
    for row in range(24):
        regressor.partial_fit(X[row : row + 1], T[row : row + 1])
    expected, *_ = naive_stream(np.zeros((5, 3)), 0.2, 0.1)
    np.testing.assert_allclose(regressor.coef_.T, expected, rtol=1e-11)
    at_once = HebbianDescentRegressor(average=False, **settings).partial_fit(X, T)
    np.testing.assert_array_equal(at_once.coef_, regressor.coef_)


@pytest.mark.parametrize("batch_size", [1, 5, 24])
def test_batches_and_epochs_of_training_keep_the_mean_target(batch_size):
    training = Training(rule="hebb", shift=0.01, running_mean=True, batch_size=batch_size, shuffle=True)
    at_once, in_parts = new_layer(), new_layer()
    training.run(at_once, X, T, epochs=3)
    training.run(in_parts, X, T, epochs=1)
    training.run(in_parts, X, T, epochs=2, first_epoch=1)
    np.testing.assert_array_equal(at_once.weights, in_parts.weights)
    np.testing.assert_array_equal(at_once.bias, 0)


def test_a_class_that_comes_late_has_had_a_mean_target_of_zero():
    labels = np.array([0, 1] * 6 + [2] * 12)
    settings = {"rule": "hebb", "learning_rate": 0.1}
    late = (
        HebbianDescentClassifier(**settings).partial_fit(X[:12], labels[:12]).partial_fit(X[12:], labels[12:])
    )
    known = HebbianDescentClassifier(**settings).partial_fit(X, labels, classes=[0, 1, 2])
    np.testing.assert_allclose(late.target_offset_, known.target_offset_)
    np.testing.assert_allclose(late.coef_, known.coef_, rtol=1e-10, atol=1e-13)


def test_hebb_recalls_in_a_stream_as_it_does_with_the_mean():
    x, t = draw_pair("rand", "rand", 100, seed=0)

    def recalled(**settings):
        memory = AssociativeMemory(x.shape[1], t.shape[1], **settings)
        memory.store(x, t)
        return memory.recall(x)

    stream, mean = recalled(rule="hebb"), recalled(rule="hebb", centering=x.mean(axis=0))
    assert np.abs(stream - t).mean() < 1.1 * np.abs(mean - t).mean()
    assert identified(t, stream).all()
    np.testing.assert_array_equal(stream, recalled(rule="covariance"))


def test_the_papers_start_leaves_targets_alone():
    memory = AssociativeMemory(5, 3, rule="hebb", learning_rate=0.1, offset_start=0.5, shift=0.1)
    layer = Layer.create(5, 3, offset=0.5, rng=np.random.default_rng(0))
    memory.store(X, T)
    train(layer, X, T, rule="hebb", learning_rate=0.1, shift=0.1)
    np.testing.assert_allclose(memory.recall(X), layer.output(X), rtol=1e-12)
    assert memory.target_offset is None


@pytest.mark.parametrize("rule", RULES)
def test_a_file_keeps_the_mean_target(rule, tmp_path):
    memory = AssociativeMemory(5, 3, rule=rule)
    memory.store(X[:10], T[:10])
    memory.save(tmp_path / "memory")
    regressor = HebbianDescentRegressor(rule=rule).partial_fit(X[:10], T[:10])
    regressor.save(tmp_path / "regressor")
    again = AssociativeMemory.load(tmp_path / "memory")
    learned = HebbianDescentRegressor.load(tmp_path / "regressor")
    for model in (memory, again):
        model.store(X[10:], T[10:])
    for model in (regressor, learned):
        model.partial_fit(X[10:], T[10:])
    np.testing.assert_array_equal(again.recall(X), memory.recall(X))
    np.testing.assert_array_equal(learned.coef_, regressor.coef_)
    np.testing.assert_array_equal(learned.target_offset_, regressor.target_offset_)
