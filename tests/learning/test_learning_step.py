"""One update, whatever calls it: the naive formula, sample weights, missing synapses, bounds."""

import numpy as np
import pytest

from hebbian_descent import Autoencoder, DivergenceError, Layer
from hebbian_descent.learning.divergence import Bound
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.step import Update, change_weights
from hebbian_descent.rules import get_auto_rule, get_error_term, get_rule

RNG = np.random.default_rng(4)
X, T = RNG.random((6, 5)), RNG.random((6, 3))
MASK = RNG.random((5, 3)) > 0.4


def new_layer(activation="sigmoid"):
    return Layer.create(5, 3, activation=activation, offset=0.5, rng=np.random.default_rng(0))


def update_of(rule="hebbian_descent", rate=0.3, **settings):
    return Update(get_rule(rule), get_error_term("difference"), rate, **settings)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "some"])
@pytest.mark.parametrize("scales", [None, RNG.random(6)], ids=["alike", "weighted"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_it_is_the_formula(mask, scales, decay):
    layer = new_layer()
    W, b, mu = layer.weights.copy(), layer.bias.copy(), layer.offset.copy()
    update_of(weight_decay=decay, connectivity=mask).layer(layer, X, T, scales=scales, shift=0.2)
    shares = np.ones(6) if scales is None else scales / scales.mean()
    change, bias_change = np.zeros_like(W), np.zeros_like(b)
    for x, t, share in zip(X, T, shares, strict=True):
        error = 1 / (1 + np.exp(-((x - mu) @ W + b))) - t
        change += share * np.outer(x - mu, error) / 6
        bias_change += share * error / 6
    W = (W - decay * W - 0.3 * change) * (1 if mask is None else mask)
    moved = 0.8 * mu + 0.2 * np.average(X, axis=0, weights=shares)
    np.testing.assert_allclose(layer.weights, W, rtol=1e-13)
    np.testing.assert_allclose(layer.bias, b - 0.3 * bias_change + (moved - mu) @ W, rtol=1e-12)
    np.testing.assert_allclose(layer.offset, moved, rtol=1e-14)


def test_changing_weights_decays_masks_and_flushes():
    W = np.array([[1.0, 1e-308, 2.0]])
    change_weights(W, np.array([[0.25, 0.0, 0.0]]), decay=0.5, connectivity=np.array([[True, True, False]]))
    np.testing.assert_array_equal(W, [[0.25, 0.0, 0.0]])
    W = np.array([[1e-308]])
    change_weights(W, np.zeros((1, 1)), decay=0.5, flush=False)
    assert 0 < W[0, 0] < np.finfo(float).tiny


@pytest.mark.parametrize("rate", [1e9, Automatic()])
def test_a_refused_update_changes_nothing(rate):
    layer = new_layer("linear")
    before = layer.copy()
    huge = np.full((1, 5), 1e200)
    with pytest.raises(DivergenceError):
        update_of(rate=rate, bound=Bound(limit=None, looks_ahead=True)).layer(layer, huge, T[:1], shift=0.5)
    for name in ("weights", "bias", "offset"):
        np.testing.assert_array_equal(getattr(layer, name), getattr(before, name))


def test_looking_ahead_refuses_what_would_only_be_seen_at_the_next_step():
    ahead, behind = Bound(limit=10.0, looks_ahead=True), Bound(limit=10.0)
    layer = new_layer("linear")
    update_of(rate=100.0, bound=behind).layer(layer, X, T)
    with pytest.raises(DivergenceError, match="below 10"):
        update_of(rate=100.0, bound=behind).layer(layer, X, T)
    with pytest.raises(DivergenceError, match="Got inputs up to"):
        update_of(rate=100.0, bound=ahead).layer(new_layer("linear"), X, T)


@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent", "hebb", "contrastive"])
@pytest.mark.parametrize("rate", [0.1, Automatic()])
def test_an_autoencoder_keeps_missing_synapses_at_zero(rule, rate):
    network = Autoencoder.create(5, 3, output_activation="sigmoid", rng=np.random.default_rng(0))
    network.weights *= MASK
    update = Update(get_auto_rule(rule), get_error_term("difference"), rate, connectivity=MASK)
    before = network.weights.copy()
    update(network, X, shift=0.1, hidden_shift=0.1)
    assert (network.weights[~MASK] == 0).all()
    assert (network.weights[MASK] != before[MASK]).all()
