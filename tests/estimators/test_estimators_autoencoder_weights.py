"""Weights of samples mean the same to auto-encoders as to layers: shares in a batch, presentations of one."""

import numpy as np
import pytest
from same_bits import assert_same_bits

from hebbian_descent import HebbianDescentAutoencoder, load

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
COUNTS = RNG.integers(1, 5, size=60)
PLAIN = {"n_hidden": 3, "random_state": 0, "epochs": 1, "shuffle": False, "centering": None}
RULES = ["hebbian_descent", "gradient_descent", "hebb", "contrastive", "oja", "sanger"]


def fitted(inputs, weights=None, **settings):
    return HebbianDescentAutoencoder(**{**PLAIN, **settings}).fit(inputs, sample_weight=weights)


def assert_alike(found, expected, **tolerances):
    for name in ("components_", "bias_", "decoder_bias_", "offset_", "hidden_offset_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), err_msg=name, **tolerances)


@pytest.mark.parametrize("batch_size", [1, 10])
def test_weights_of_1_change_nothing(batch_size):
    settings = {"batch_size": batch_size, "centering": "moving", "shuffle": True, "epochs": 3}
    assert_same_bits(fitted(X, np.ones(60), **settings), fitted(X, **settings))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("learning_rate", ["auto", 0.01])
@pytest.mark.parametrize(
    ("centering", "offset_start"), [("auto", None), ("moving", None), ("moving", 0.5), (None, None)]
)
def test_a_sample_of_a_batch_counts_as_often_as_it_weighs(rule, learning_rate, centering, offset_start):
    settings = {"rule": rule, "learning_rate": learning_rate, "centering": centering, "weight_decay": 0.001}
    settings |= {"offset_start": offset_start, "epochs": 5}
    settings["hidden_activation"] = "linear" if rule in ("oja", "sanger") else "sigmoid"
    weighted = fitted(X, COUNTS, batch_size=60, **settings)
    repeated = fitted(np.repeat(X, COUNTS, axis=0), batch_size=COUNTS.sum(), **settings)
    assert_alike(weighted, repeated, rtol=1e-9, atol=1e-12)
    assert weighted.n_samples_seen_ == 5 * 60
    assert weighted.weight_seen_ == repeated.weight_seen_ == 5 * COUNTS.sum()


def test_only_the_proportions_of_a_batch_matter():
    assert_alike(fitted(X, 7.5 * COUNTS), fitted(X, COUNTS), rtol=1e-12)


def test_the_change_of_a_batch_is_the_weighted_mean_of_its_changes():
    settings = {"learning_rate": 0.01, "batch_size": 60}
    start = fitted(X, learning_rate=0.0).components_
    weights = np.linspace(0.1, 3, 60)
    changes = [fitted(X[row : row + 1], **settings).components_ - start for row in range(60)]
    expected = start + np.average(changes, axis=0, weights=weights)
    np.testing.assert_allclose(fitted(X, weights, **settings).components_, expected, atol=1e-14)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("learning_rate", ["auto", 0.01])
def test_a_single_sample_is_presented_as_often_as_it_weighs(rule, learning_rate):
    settings = {"rule": rule, "learning_rate": learning_rate, "batch_size": 1}
    settings |= {"hidden_activation": "linear" if rule in ("oja", "sanger") else "sigmoid"}
    weighted = fitted(X, COUNTS, **settings)
    repeated = fitted(np.repeat(X, COUNTS, axis=0), **settings)
    assert_alike(weighted, repeated, rtol=0)  # the very same steps
    assert weighted.weight_seen_ == repeated.n_samples_seen_


@pytest.mark.parametrize("weight", [0.25, 1.25, 2.5])
def test_the_rest_of_a_weight_is_a_factor_of_the_rate(weight):
    settings = {"batch_size": 1, "warm_start": True}
    expected = fitted(X[:0:-1], learning_rate=0.1, **settings)
    found = HebbianDescentAutoencoder(**expected.get_params()).fit(X[:0:-1])
    for rate in [*[0.1] * int(weight), 0.1 * (weight % 1)]:
        expected.set_params(learning_rate=rate).fit(X[:1])
    assert_alike(found.fit(X[:1], sample_weight=[weight]), expected, rtol=1e-13)


def test_there_are_500_presentations_at_most():
    settings = {"batch_size": 1, "learning_rate": 1e-4}
    fewer, most, more = (fitted(X[:3], np.full(3, weight), **settings) for weight in (499.0, 500.0, 1e9))
    np.testing.assert_array_equal(more.components_, most.components_)
    assert (fewer.components_ != most.components_).any()


def test_a_decay_is_per_sample_whatever_it_weighs():
    start = fitted(X, learning_rate=0.0).components_
    settings = {"learning_rate": 0.0, "weight_decay": 0.1, "batch_size": 1}
    decayed = fitted(X[:2], [3.0, 0.5], **settings).components_
    np.testing.assert_allclose(decayed, 0.9 * 0.9 * start, rtol=1e-14)


@pytest.mark.parametrize("batch_size", [1, 7])
def test_running_means_count_weights(batch_size):
    weights = np.linspace(0.1, 3, 60)
    settings = {"centering": "moving", "shift": 0.0, "hidden_shift": 0.0, "learning_rate": 0.0}
    encoder = fitted(X, weights, batch_size=batch_size, **settings)
    np.testing.assert_allclose(encoder.offset_, np.average(X, axis=0, weights=weights), rtol=1e-12)
    before = np.full((1, 3), 0.5)  # the start, which counts as one sample
    hidden = np.concatenate([before, fitted(X, learning_rate=0.0).transform(X)])
    expected = np.average(hidden, axis=0, weights=[1.0, *weights])
    np.testing.assert_allclose(encoder.hidden_offset_, expected, rtol=1e-12)


def test_the_data_mean_is_the_weighted_one_and_no_weight_is_no_sample():
    weights = np.repeat([0.0, 1.0, 2.0], 20)
    encoder = fitted(X, weights, centering="auto")
    np.testing.assert_allclose(encoder.offset_, np.average(X, axis=0, weights=weights))
    assert (encoder.n_samples_seen_, encoder.weight_seen_) == (40, 60)
    assert_same_bits(encoder, fitted(X[20:], weights[20:], centering="auto"))


@pytest.mark.parametrize(("batch_size", "epochs"), [(10, 30), (1, 1)])
def test_large_weights_do_not_make_an_automatic_rate_too_large(batch_size, epochs):
    weights = np.where(np.arange(60) % 2, 1e6, 1.0)
    encoder = fitted(X, weights, centering="auto", n_hidden=None, batch_size=batch_size, epochs=epochs)
    assert encoder.score(X[1::2]) > -np.abs(X - X.mean(axis=0)).mean()


def test_the_weight_seen_comes_back_from_a_file(tmp_path):
    settings = {"centering": "moving", "warm_start": True, "batch_size": 7}
    encoder = fitted(X, np.linspace(0.1, 3, 60), **settings)
    encoder.save(tmp_path / "model")
    assert_same_bits(load(tmp_path / "model").fit(X), encoder.fit(X))


@pytest.mark.parametrize(
    ("weights", "sentence"), [(np.zeros(60), "Got zeros only"), (-np.ones(60), "must not be negative")]
)
def test_other_weights_of_samples_are_refused(weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        fitted(X, weights)
