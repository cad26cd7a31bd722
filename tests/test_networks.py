"""Layers, offsets and auto-encoders: one model, many ways to write it down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hebbian_descent import ACTIVATIONS, Autoencoder, Layer, train
from hebbian_descent.network import glorot_uniform
from hebbian_descent.network.offsets import flush_subnormal

finite = st.floats(-3, 3)


def random_layer(seed=0, activation="sigmoid", n_inputs=5, n_outputs=3):
    rng = np.random.default_rng(seed)
    return Layer.from_weights(
        rng.normal(size=(n_inputs, n_outputs)),
        activation=activation,
        offset=rng.random(n_inputs),
        bias=rng.normal(size=n_outputs),
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_output_is_the_equation_of_the_centered_neuron(activation):
    layer = random_layer(activation=activation)
    x = np.random.default_rng(1).random((4, 5))
    a = np.array([layer.weights.T @ (row - layer.offset) + layer.bias for row in x])
    np.testing.assert_allclose(layer.preactivation(x), a, rtol=1e-13)
    np.testing.assert_allclose(layer.output(x), layer.activation(a), rtol=1e-13)


@settings(max_examples=50)
@given(offset=hnp.arrays(np.float64, 5, elements=finite), x=hnp.arrays(np.float64, (3, 5), elements=finite))
def test_output_is_unchanged_by_moving_an_offset(offset, x):
    layer = random_layer()
    before = layer.preactivation(x)
    layer.move_offset(offset)
    np.testing.assert_array_equal(layer.offset, offset)
    np.testing.assert_allclose(layer.preactivation(x), before, rtol=1e-12, atol=1e-12)


def test_a_centered_network_is_an_uncentered_one_with_other_resting_levels_and_back():
    layer, x = random_layer(), np.random.default_rng(2).random((6, 5))
    plain = layer.uncentered()
    np.testing.assert_array_equal(plain.offset, 0)
    np.testing.assert_allclose(plain.bias, layer.bias - layer.offset @ layer.weights, rtol=1e-13)
    np.testing.assert_allclose(plain.output(x), layer.output(x), rtol=1e-12)
    back = plain.centered(layer.offset)
    np.testing.assert_allclose(back.bias, layer.bias, rtol=1e-12)


def test_a_bias_can_be_moved_into_the_offset_with_the_opposite_of_the_printed_sign():
    layer, x = random_layer(), np.random.default_rng(3).random((6, 5))
    free = layer.without_bias()
    np.testing.assert_array_equal(free.bias, 0)
    np.testing.assert_allclose(free.output(x), layer.output(x), rtol=1e-10)
    printed_sign = Layer.from_weights(layer.weights, offset=2 * layer.offset - free.offset)
    assert np.abs(printed_sign.output(x) - layer.output(x)).max() > 0.05


def test_a_bias_stays_where_the_weights_do_not_reach_every_output():
    with pytest.raises(ValueError, match=r"rank 5, one for each output. Got rank 3: keep the bias"):
        random_layer(n_inputs=3, n_outputs=5).without_bias()


def test_initial_weights_fill_the_glorot_interval():
    weights = glorot_uniform(300, 100, rng=np.random.default_rng(0))
    bound = np.sqrt(6) / np.sqrt(400)
    assert np.abs(weights).max() <= bound
    assert np.abs(weights).max() > 0.999 * bound
    assert weights.std() == pytest.approx(bound / np.sqrt(3), rel=0.01)
    single = glorot_uniform(300, 100, rng=np.random.default_rng(0), dtype=np.float32)
    np.testing.assert_array_equal(single, weights.astype(np.float32))


def test_a_layer_owns_its_arrays():
    weights, offset = np.ones((2, 2)), np.zeros(2)
    layer = Layer.from_weights(weights, offset=offset)
    copy = layer.copy()
    train(layer, [[1.0, 2.0]], [[0.0, 1.0]], learning_rate=0.5, shift=0.5)
    np.testing.assert_array_equal(weights, 1)
    np.testing.assert_array_equal(offset, 0)
    np.testing.assert_array_equal(copy.weights, 1)


def test_reconstruction_is_the_equation_of_the_tied_autoencoder():
    rng = np.random.default_rng(4)
    W = rng.normal(size=(5, 2))
    network = Autoencoder.from_weights(
        W,
        hidden_activation="explin",
        output_activation="sigmoid",
        offset=rng.random(5),
        hidden_offset=rng.random(2),
        bias=rng.normal(size=2),
        decoder_bias=rng.normal(size=5),
    )
    x = rng.random((4, 5))
    h = network.hidden_activation((x - network.offset) @ W + network.bias)
    z = network.output_activation((h - network.hidden_offset) @ W.T + network.decoder_bias)
    np.testing.assert_allclose(network.encode(x), h, rtol=1e-13)
    np.testing.assert_allclose(network.reconstruct(x), z, rtol=1e-13)
    np.testing.assert_allclose(network.decode(h), z, rtol=1e-13)


def test_reconstruction_is_unchanged_by_moving_either_offset():
    rng = np.random.default_rng(5)
    network = Autoencoder.create(6, 3, rng=rng, offset=0.2)
    x = rng.random((4, 6))
    before = network.reconstruct(x)
    network.shift_offset(x, 0.3)
    network.shift_hidden_offset(network.encode(x), 0.3)
    assert np.abs(network.offset - 0.2).min() > 0
    assert np.abs(network.hidden_offset - 0.5).min() > 0
    np.testing.assert_allclose(network.reconstruct(x), before, rtol=1e-12)
    other = network.copy()
    other.weights[:] = 0
    np.testing.assert_allclose(network.reconstruct(x), before, rtol=1e-12)


def test_bias_of_a_linear_encoder_is_contained_in_the_decoder_bias():
    rng = np.random.default_rng(6)
    W, b, x = rng.normal(size=(5, 2)), rng.normal(size=2), rng.random((4, 5))
    linear = {"hidden_activation": "linear", "output_activation": "linear", "hidden_offset": 0.3}
    with_bias = Autoencoder.from_weights(W, bias=b, **linear)
    without = Autoencoder.from_weights(W, decoder_bias=W @ b, **linear)
    np.testing.assert_allclose(with_bias.reconstruct(x), without.reconstruct(x), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_too_small_for_full_precision_become_zero(dtype):
    tiny = np.finfo(dtype).tiny
    values = np.array([tiny, tiny / 2, -tiny / 4, 0.0, -1.0], dtype=dtype)
    np.testing.assert_array_equal(flush_subnormal(values), np.array([tiny, 0, 0, 0, -1], dtype=dtype))
