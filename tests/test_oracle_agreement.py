"""Every rule x activation x centering x decay does what the paper's equations say, number by number."""

import itertools

import numpy as np
import oracle
import pytest

from hebbian_descent import ACTIVATIONS, AUTO_RULES, RULES, Autoencoder, Layer, train

CENTERINGS = ("none", "mean", "moving")
DECAYS = (0.0, 0.1, 1.0, 2.0)
N, M, D = 4, 3, 6


def patterns(seed):
    rng = np.random.default_rng(seed)
    X, T = rng.random((D, N)), rng.random((D, M))
    return X, T / T.sum(axis=1, keepdims=True), rng.uniform(-0.8, 0.8, (N, M))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", RULES)
def test_rule_agrees_with_the_naive_loop(rule, activation):
    X, T, W = patterns(seed=len(rule) * 100 + len(activation))
    eta = 0.005 if activation == "exponential" else 0.2  # gradient descent through eᵃ diverges easily
    for centering, omega, batch_size in itertools.product(CENTERINGS, DECAYS, (1, 4)):
        offset = {"none": np.zeros(N), "mean": X.mean(axis=0), "moving": np.full(N, 0.5)}[centering]
        nu = 0.2 if centering == "moving" else 0.0
        layer = Layer.from_weights(W, activation=activation, offset=offset)
        settings = {"rule": rule, "batch_size": batch_size, "epochs": 2}
        train(layer, X, T, learning_rate=eta, weight_decay=omega, shift=nu, **settings)
        expected = oracle.train(
            X.tolist(),
            T.tolist(),
            W.tolist(),
            [0.0] * M,
            offset.tolist(),
            activation=activation,
            eta=eta,
            omega=omega,
            nu=nu,
            **settings,
        )
        for name, value in zip(("weights", "bias", "offset"), expected, strict=True):
            np.testing.assert_allclose(
                getattr(layer, name), value, rtol=1e-12, atol=1e-12, err_msg=f"{name} {centering} {omega}"
            )


@pytest.mark.parametrize("visible", ["linear", "sigmoid", "softplus", "softmax"])
@pytest.mark.parametrize("hidden", ACTIVATIONS)
@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent", "hebb"])
def test_auto_associative_rule_agrees_with_the_naive_loop(rule, hidden, visible):
    X, _, W = patterns(seed=7)
    mu, c, b = X.mean(axis=0), np.linspace(-0.2, 0.2, N), np.linspace(0.1, 0.3, M)
    for omega, nu_hidden in itertools.product((0.0, 0.1), (0.0, 0.3)):
        network = Autoencoder.from_weights(
            W, hidden_activation=hidden, output_activation=visible, offset=mu, bias=b, decoder_bias=c
        )
        train(network, X, rule=rule, learning_rate=0.2, weight_decay=omega, hidden_shift=nu_hidden)
        expected = oracle.train_autoencoder(
            X.tolist(),
            W.tolist(),
            b.tolist(),
            c.tolist(),
            mu.tolist(),
            [0.5] * M,
            rule=rule,
            hidden=hidden,
            visible=visible,
            eta=0.2,
            omega=omega,
            nu_hidden=nu_hidden,
        )
        for name, value in zip(("weights", "bias", "decoder_bias", "hidden_offset"), expected, strict=True):
            np.testing.assert_allclose(getattr(network, name), value, rtol=1e-12, atol=1e-12, err_msg=name)


def test_encoder_bias_learns_toward_the_target_activity_as_in_the_naive_loop():
    X, _, W = patterns(seed=8)
    rule = AUTO_RULES["hebbian_descent"](target_activity=0.1)
    network = Autoencoder.from_weights(W, offset=X.mean(axis=0))
    train(network, X, rule=rule, learning_rate=0.2)
    expected = oracle.train_autoencoder(
        X.tolist(),
        W.tolist(),
        [0.0] * M,
        [0.0] * N,
        X.mean(axis=0).tolist(),
        [0.5] * M,
        rule="hebbian_descent",
        hidden="sigmoid",
        visible="linear",
        eta=0.2,
        nu_hidden=0.01,
        level=0.1,
    )
    np.testing.assert_allclose(network.bias, expected[1], rtol=1e-12, atol=1e-12)


def test_the_oracle_covers_every_activation_of_the_registry():
    assert {*oracle.SCALAR_ACTIVATIONS, "softmax"} == set(ACTIVATIONS)
