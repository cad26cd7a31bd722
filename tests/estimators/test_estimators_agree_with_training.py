"""Estimators compute what `hebbian_descent.learning.run` computes, whatever path they take."""

import numpy as np
import pytest

from hebbian_descent import (
    ACTIVATIONS,
    AUTO_RULES,
    ERROR_TERMS,
    RULES,
    Activation,
    Autoencoder,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    train,
)
from hebbian_descent.network import glorot_uniform
from tests.plain import PLAIN

CENTERINGS = {
    "mean": ({"centering": "mean"}, lambda x: x.mean(axis=0), {}),
    "paper": ({"centering": "moving", "offset_start": 0.5}, lambda x: 0.5, {"shift": 0.03}),
    "none": ({"centering": None}, lambda x: 0.0, {}),
}


def assert_equal(estimator, layer):
    scale = max(1.0, np.abs(layer.weights).max())
    np.testing.assert_allclose(estimator.weights_.T, layer.weights, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(estimator.bias_, layer.bias, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(estimator.offset_, layer.offset, rtol=0, atol=1e-12)


def trained(inputs, targets, *, start="zeros", offset=0.0, activation="sigmoid", **settings):
    N, M = inputs.shape[1], targets.shape[1]
    rng = np.random.default_rng(0)
    weights = glorot_uniform(N, M, rng=rng) if start == "random" else np.zeros((N, M))
    layer = Layer.from_weights(weights, activation=activation, offset=offset)
    train(layer, inputs, targets, **settings)
    return layer


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_rule_activation_and_error(patterns, rule, activation, error, batch_size):
    inputs, _, targets = patterns
    if error == "leaky_hinge":
        targets = np.where(targets > 0.5, 1.0, -1.0)
    settings = {"rule": rule, "error": error, "learning_rate": 0.02, "batch_size": batch_size}
    estimator = HebbianDescentRegressor(
        activation=activation, epochs=2, random_state=0, initial_weights="random", **PLAIN, **settings
    )
    layer = trained(
        inputs,
        targets,
        start="random",
        offset=inputs.mean(axis=0),
        activation=activation,
        epochs=2,
        shuffle=True,
        **settings,
    )
    assert_equal(estimator.fit(inputs, targets), layer)
    np.testing.assert_allclose(estimator.predict(inputs), layer.output(inputs), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("rule", RULES)
def test_labels_are_learned_as_the_codes_of_their_classes(patterns, rule, error, batch_size):
    inputs, labels, _ = patterns
    codes = np.where(np.eye(3)[labels] == 1, 1.0, -1.0 if error == "leaky_hinge" else 0.0)
    settings = {"rule": rule, "error": error, "activation": "scaled_tanh", "batch_size": batch_size}
    by_labels, by_codes = (
        kind(learning_rate=0.02, random_state=0, **settings, **PLAIN).fit(
            inputs, targets, sample_weight=1 + inputs[:, 0]
        )
        for kind, targets in ((HebbianDescentClassifier, labels), (HebbianDescentRegressor, codes))
    )
    for name in ("weights_", "bias_", "offset_"):
        found, expected = getattr(by_labels, name), getattr(by_codes, name)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("centering", CENTERINGS)
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("rule", ["hebbian_descent", "hebb"])
def test_every_centering_and_decay(patterns, centering, weight_decay, rule):
    inputs, labels, _ = patterns
    how, start, moving = CENTERINGS[centering]
    settings = {"rule": rule, "learning_rate": 0.1, "weight_decay": weight_decay, **moving}
    estimator = HebbianDescentClassifier(epochs=3, shuffle=False, **how, **PLAIN, **settings)
    layer = trained(
        inputs, np.eye(3)[labels], offset=start(inputs), activation="softmax", epochs=3, **settings
    )
    assert_equal(estimator.fit(inputs, labels), layer)
    assert (estimator.predict(inputs) == layer.preactivation(inputs).argmax(axis=1)).all()


def test_ones_own_activation_takes_the_same_steps_as_the_compiled_one(patterns):
    inputs, _, targets = patterns
    own = Activation("own", np.tanh, largest_slope=1.0)
    for how in ({"centering": "moving"}, *(how for how, _, _ in CENTERINGS.values())):
        fitted = [
            HebbianDescentRegressor(activation=activation, random_state=0, **how).fit(inputs, targets)
            for activation in ("scaled_tanh", own)
        ]
        settings = [estimator._setting() for estimator in fitted]
        assert [setting.compiles(setting.in_fit) for setting in settings] == [True, False]
        np.testing.assert_allclose(fitted[0].weights_, fitted[1].weights_, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(fitted[0].coef_, fitted[1].coef_, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(fitted[0].intercept_, fitted[1].intercept_, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("activation", ["exponential", "step", "softmax", "linear", "approximate_step"])
def test_the_automatic_rate_is_that_of_the_formula_on_both_paths(patterns, activation):
    inputs, _, targets = patterns
    compiled = HebbianDescentRegressor(activation=activation, centering="moving", weight_decay=0.01)
    plain = HebbianDescentRegressor(activation=activation, centering="moving", weight_decay=0.01)
    plain.set_params(error=lambda t, h: h - t)
    for estimator in (compiled, plain):
        estimator.partial_fit(inputs, targets)
    np.testing.assert_allclose(compiled.weights_, plain.weights_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(compiled.bias_, plain.bias_, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rule", AUTO_RULES)
@pytest.mark.parametrize("batch_size", [1, 8])
def test_autoencoders_of_every_rule(patterns, rule, batch_size):
    inputs = patterns[0]
    linear = rule in ("oja", "sanger")
    units = {"hidden_activation": "linear" if linear else "sigmoid"}
    settings = {"rule": rule, "learning_rate": 0.01, "weight_decay": 0.001, "batch_size": batch_size}
    estimator = HebbianDescentAutoencoder(n_hidden=3, epochs=2, random_state=0, **units, **settings)
    network = Autoencoder.create(
        7, 3, offset=inputs.mean(axis=0), output_activation="linear", rng=np.random.default_rng(0), **units
    )
    train(network, inputs, epochs=2, shuffle=True, running_mean=True, **settings)
    estimator.fit(inputs)
    np.testing.assert_allclose(estimator.components_.T, network.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(estimator.transform(inputs), network.encode(inputs), rtol=0, atol=1e-12)
    reconstruction = estimator.inverse_transform(estimator.transform(inputs))
    np.testing.assert_allclose(reconstruction, network.reconstruct(inputs), rtol=0, atol=1e-12)
    assert estimator.score(inputs) == pytest.approx(-np.abs(reconstruction - inputs).mean())


def test_the_uncentered_model_has_the_same_output(patterns):
    inputs, labels, _ = patterns
    estimator = HebbianDescentClassifier(random_state=0).partial_fit(inputs, labels)
    expected = inputs @ estimator.coef_.T + estimator.intercept_
    np.testing.assert_allclose(estimator.decision_function(inputs), expected, rtol=1e-10, atol=1e-12)
