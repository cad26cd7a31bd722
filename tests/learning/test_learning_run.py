"""Batches, epochs and runs: what all rules share."""

import pickle

import numpy as np
import pytest

from hebbian_descent import (
    ACTIVATIONS,
    AUTO_RULES,
    RULES,
    AssociativeMemory,
    Autoencoder,
    DivergenceError,
    Layer,
    Training,
    train,
)
from hebbian_descent.learning.run import batches, epoch_order

RNG = np.random.default_rng(21)
X, T = RNG.random((23, 6)), RNG.random((23, 4))


def new_layer(**settings):
    return Layer.create(6, 4, rng=np.random.default_rng(0), **{"offset": 0.5, **settings})


def new_autoencoder(**settings):
    return Autoencoder.create(6, 4, rng=np.random.default_rng(0), offset=0.5, **settings)


SETTINGS = {
    "learning_rate": 0.3,
    "weight_decay": 0.01,
    "shift": 0.05,
    "shuffle": True,
    "seed": 5,
    "batch_size": 4,
}


@pytest.mark.parametrize("rule", RULES)
def test_k_and_then_m_epochs_are_k_plus_m_epochs_bit_for_bit(rule):
    at_once, in_parts = new_layer(), new_layer()
    train(at_once, X, T, rule=rule, epochs=5, **SETTINGS)
    train(in_parts, X, T, rule=rule, epochs=2, **SETTINGS)
    train(in_parts, X, T, rule=rule, epochs=3, first_epoch=2, **SETTINGS)
    for name in ("weights", "bias", "offset"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(in_parts, name))


@pytest.mark.parametrize("rule", AUTO_RULES)
def test_k_and_then_m_epochs_of_an_autoencoder_likewise(rule):
    linear = {"hidden_activation": "linear", "output_activation": "linear"}
    at_once, in_parts = new_autoencoder(**linear), new_autoencoder(**linear)
    settings = {**SETTINGS, "learning_rate": 0.05, "rule": rule}
    train(at_once, X, epochs=5, **settings)
    train(in_parts, X, epochs=2, **settings)
    train(in_parts, X, epochs=3, first_epoch=2, **settings)
    for name in ("weights", "bias", "decoder_bias", "offset", "hidden_offset"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(in_parts, name))


def test_an_order_depends_on_seed_and_epoch_alone():
    np.testing.assert_array_equal(epoch_order(50, 3, 7), epoch_order(50, 3, 7))
    assert sorted(epoch_order(50, 3, 7)) == list(range(50))
    assert (epoch_order(50, 3, 7) != epoch_order(50, 3, 8)).any()
    assert (epoch_order(50, 3, 7) != epoch_order(50, 4, 7)).any()


def test_without_shuffling_the_patterns_come_in_the_given_order():
    whole, one_by_one = new_layer(), new_layer()
    train(whole, X, T, learning_rate=0.3, shift=0.1)
    for x, t in zip(X, T, strict=True):
        train(one_by_one, x[None], t[None], learning_rate=0.3, shift=0.1)
    np.testing.assert_array_equal(whole.weights, one_by_one.weights)
    np.testing.assert_array_equal(whole.bias, one_by_one.bias)


def test_the_last_batch_holds_what_is_left_over():
    assert [len(rows) for rows in batches(np.arange(23), 10)] == [10, 10, 3]


def test_a_batch_is_the_mean_of_its_patterns_not_their_sum():
    layer, mean_change = new_layer(), np.zeros((6, 4))
    for x, t in zip(X, T, strict=True):
        single = new_layer()
        train(single, x[None], t[None], learning_rate=1.0)
        mean_change += (single.weights - layer.weights) / len(X)
    start = layer.weights.copy()
    train(layer, X, T, learning_rate=1.0, batch_size=len(X))
    np.testing.assert_allclose(layer.weights - start, mean_change, rtol=1e-12)


def test_weight_decay_is_per_update_and_not_times_the_learning_rate():
    layer = new_layer()
    start = layer.weights.copy()
    train(layer, X, T, learning_rate=0.0, weight_decay=0.25, batch_size=len(X), epochs=2)
    np.testing.assert_allclose(layer.weights, start * 0.75**2, rtol=1e-14)
    np.testing.assert_array_equal(layer.bias, 0)


def test_the_bias_does_not_decay():
    layer = new_layer()
    layer.bias[:] = 1.0
    train(layer, X, T, learning_rate=0.0, weight_decay=0.5)
    np.testing.assert_array_equal(layer.bias, 1.0)


def test_a_decay_of_one_forgets_everything_but_the_last_pattern():
    layer = new_layer()
    train(layer, X, T, rule="hebb", learning_rate=0.5, weight_decay=1.0)
    np.testing.assert_allclose(layer.weights, 0.5 * np.outer(X[-1] - 0.5, T[-1]), rtol=1e-14)


def test_offsets_move_after_the_update_not_before():
    """With an offset that moved all the way first, x − μ would be zero and nothing could be learned."""
    layer = new_layer()
    start = layer.weights.copy()
    train(layer, X[:1], T[:1], learning_rate=0.3, shift=1.0)
    np.testing.assert_array_equal(layer.offset, X[0])
    assert np.abs(layer.weights - start).max() > 0.001


def test_moving_offsets_converge_to_the_data_mean():
    layer = new_layer()
    train(layer, X, T, learning_rate=0.1, shift=0.01, shuffle=True, epochs=100)
    np.testing.assert_allclose(layer.offset, X.mean(axis=0), atol=0.08)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_offsets_and_weights_that_fade_end_at_zero_and_not_among_subnormal_numbers(dtype):
    layer = new_layer(dtype=dtype)
    zeros, targets = np.zeros((40, 6), dtype), np.ones((40, 4), dtype)
    train(layer, zeros, targets, rule="hebb", learning_rate=0.0, weight_decay=0.9, shift=0.9, epochs=10)
    np.testing.assert_array_equal(layer.weights, 0)
    np.testing.assert_array_equal(layer.offset, 0)


@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent", "hebb"])
def test_divergence_is_told_with_the_step_and_the_learning_rate(rule):
    layer = new_layer(activation="linear")
    with pytest.raises(
        DivergenceError, match=r"diverged at step \d+ with learning rate 1e\+06:.*smaller"
    ) as caught:
        train(layer, X, T, rule=rule, learning_rate=1e6, epochs=100)
    assert caught.value.learning_rate == 1e6
    assert 0 < caught.value.step < 2300
    assert not caught.value.largest <= 1e6
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), vars(copy)) == (str(caught.value), vars(caught.value))


def test_divergence_of_an_autoencoder_is_told_too():
    with pytest.raises(DivergenceError, match=r"learning rate 100"):
        train(new_autoencoder(hidden_activation="linear"), X, learning_rate=100.0, epochs=10)


def test_weights_that_overflow_in_the_very_last_step_are_divergence():
    layer = Layer.from_weights([[1.0]], activation="exponential")
    with pytest.raises(DivergenceError, match=r"step 1 "):
        train(layer, [[700.0]], [[1.0]], learning_rate=1e10)


def test_after_epoch_is_called_with_the_number_of_the_epoch():
    seen = []
    train(new_layer(), X, T, epochs=3, first_epoch=4, after_epoch=seen.append)
    assert seen == [4, 5, 6]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_float32_networks_stay_float32_and_close_to_float64(activation):
    double, single = (new_layer(activation=activation, dtype=d) for d in (np.float64, np.float32))
    for layer in (double, single):
        train(layer, X, T, learning_rate=0.05, weight_decay=0.01, shift=0.05, epochs=2)
    assert {single.weights.dtype, single.bias.dtype, single.offset.dtype, single.output(X).dtype} == {
        np.dtype("f4")
    }
    np.testing.assert_allclose(single.weights, double.weights, atol=1e-4)


def test_one_training_serves_many_networks():
    training = Training(rule="gradient_descent", learning_rate=0.5)
    first, second = new_layer(), new_layer()
    training.run(first, X, T)
    training.run(second, X, T)
    np.testing.assert_array_equal(first.weights, second.weights)


def test_covariance_needs_the_whole_data_and_says_so():
    training = Training(rule="covariance")
    with pytest.raises(ValueError, match=r"covariance rule needs the means of all training inputs"):
        training.batch(new_layer(), X, T)
    training.batch(new_layer(), X, T, means=(X.mean(axis=0), T.mean(axis=0)))


def test_an_automatic_rate_is_that_of_a_memory():
    layer = Layer.create(6, 4, rng=np.random.default_rng(3))
    memory = AssociativeMemory(6, 4, seed=3, centering=None)
    train(layer, X, T, learning_rate="auto")
    memory.store(X, T)
    np.testing.assert_array_equal(layer.weights, memory.network.weights)
    np.testing.assert_array_equal(layer.bias, memory.network.bias)
