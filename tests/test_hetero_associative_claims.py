"""What the paper says about hetero-associative learning, statement by statement."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hebbian_descent import (
    ACTIVATIONS,
    LOSSES,
    RULES,
    Autoencoder,
    Layer,
    Rule,
    get_activation,
    matching_loss,
    train,
)
from hebbian_descent.rules import AUTO_RULES, get_error_term
from hebbian_descent.rules.base import Activity, AutoActivity
from hebbian_descent.rules.hebbian_descent import factors as hebbian_descent_factors

N, M = 4, 3
finite = st.floats(-3, 3, allow_subnormal=False)


def activity_of(layer, x, t, error="difference"):
    a, h = layer.forward(x)
    return Activity(x, layer.offset, t, a, h, layer.activation, get_error_term(error), x.mean(0), t.mean(0))


def make_layer(activation, seed=0):
    rng = np.random.default_rng(seed)
    return Layer.from_weights(
        rng.normal(size=(N, M)), activation=activation, offset=rng.random(N), bias=rng.normal(size=M) / 2
    )


def make_batch(activation, n=5, seed=1):
    rng = np.random.default_rng(seed)
    t = rng.dirichlet(np.ones(M), size=n)  # inside the domain of every activation
    return rng.random((n, N)), t


def assert_same_change(left, right, **tolerance):
    np.testing.assert_allclose(left.weights, right.weights, **tolerance)
    np.testing.assert_allclose(left.bias, right.bias, **tolerance)


def test_hebbian_descent_is_gradient_descent_for_linear_units():
    layer = make_layer("linear")
    activity = activity_of(layer, *make_batch("linear"))
    assert_same_change(RULES["hebbian_descent"].change(activity), RULES["gradient_descent"].change(activity))


@pytest.mark.parametrize(
    ("activation", "loss"), [("sigmoid", "cross_entropy"), ("softmax", "categorical_cross_entropy")]
)
def test_hebbian_descent_is_gradient_descent_on_the_cross_entropy(activation, loss):
    layer, (x, t) = make_layer(activation), make_batch(activation)
    descent = RULES["gradient_descent"].change(activity_of(layer, x, t, error=LOSSES[loss]().error))
    assert_same_change(RULES["hebbian_descent"].change(activity_of(layer, x, t)), descent, rtol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_hebbian_descent_is_gradient_descent_on_the_matching_loss(activation):
    layer, (x, t) = make_layer(activation), make_batch(activation)
    change = RULES["hebbian_descent"].change(activity_of(layer, x, t))
    step = 1e-6

    def mean_loss():
        return matching_loss(layer.activation, t, layer.preactivation(x)).mean()

    for parameter, direction in ((layer.weights, change.weights), (layer.bias, change.bias)):
        for index in np.ndindex(parameter.shape):
            start = parameter[index]
            parameter[index] = start + step
            above = mean_loss()
            parameter[index] = start - step
            below = mean_loss()
            parameter[index] = start
            assert (above - below) / (2 * step) == pytest.approx(direction[index], rel=1e-5, abs=1e-7)


def test_hebbian_descent_is_a_supervised_minus_an_unsupervised_hebb_step():
    layer, (x, t) = make_layer("sigmoid"), make_batch("sigmoid")
    hebb = RULES["hebb"].change
    supervised, unsupervised = hebb(activity_of(layer, x, t)), hebb(activity_of(layer, x, layer.output(x)))
    difference = supervised.weights - unsupervised.weights
    np.testing.assert_allclose(
        RULES["hebbian_descent"].change(activity_of(layer, x, t)).weights, difference, rtol=1e-12
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_contrastive_learning_with_clamped_input_is_hebbian_descent(activation):
    layer, (x, t) = make_layer(activation), make_batch(activation)
    activity = activity_of(layer, x, t)
    assert_same_change(RULES["contrastive"].change(activity), RULES["hebbian_descent"].change(activity))


def test_contrastive_learning_with_a_free_phase_is_another_rule():
    rng = np.random.default_rng(3)
    x, t = make_batch("sigmoid")
    network = Autoencoder.create(
        N, M, output_activation="sigmoid", hidden_offset=0.0, rng=rng, offset=x.mean(0)
    )
    activity = AutoActivity(network, x, network.forward(x), get_error_term("difference"), hidden_targets=t)
    free = AUTO_RULES["contrastive"](steps=3).change(activity)
    layer = Layer.from_weights(network.weights, activation="sigmoid", offset=network.offset)
    clamped = RULES["hebbian_descent"].change(activity_of(layer, x, t))
    assert np.abs(free.weights - clamped.weights).max() > 0.01
    assert np.abs(free.decoder_bias).max() > 0.01


def test_contrastive_learning_with_clamped_hidden_units_is_another_rule():
    rng = np.random.default_rng(3)
    x, t = make_batch("sigmoid")
    network = Autoencoder.create(
        N, M, output_activation="sigmoid", hidden_offset=0.0, rng=rng, offset=x.mean(0)
    )
    activity = AutoActivity(network, x, network.forward(x), get_error_term("difference"), hidden_targets=t)
    clamped = AUTO_RULES["contrastive"](clamp_hidden=True).change(activity)
    reconstructed = network.decode(t)
    np.testing.assert_allclose(clamped.weights, (reconstructed - x).T @ t / len(x), rtol=1e-12)
    layer = Layer.from_weights(network.weights, activation="sigmoid", offset=network.offset)
    hd = RULES["hebbian_descent"].change(activity_of(layer, x, t))
    assert np.abs(clamped.weights - hd.weights).max() > 0.01
    np.testing.assert_array_equal(clamped.bias, 0)  # Hebbian-descent moves it


def test_the_free_phase_alternates_between_inputs_and_hidden_units():
    rng = np.random.default_rng(4)
    x, t = make_batch("sigmoid")
    network = Autoencoder.create(N, M, output_activation="sigmoid", rng=rng)
    activity = AutoActivity(network, x, network.forward(x), get_error_term("difference"), hidden_targets=t)
    h = network.encode(x)
    for _ in range(2):
        x_model = network.decode(h)
        h = network.encode(x_model)
    change = AUTO_RULES["contrastive"](steps=2).change(activity)
    mu, lam = network.offset, network.hidden_offset
    expected = ((x_model - mu).T @ (h - lam) - (x - mu).T @ (t - lam)) / len(x)
    np.testing.assert_allclose(change.weights, expected, rtol=1e-12)
    np.testing.assert_allclose(
        change.bias, (h - t).mean(axis=0), rtol=1e-12
    )  # Δb belongs to the hidden units
    np.testing.assert_allclose(change.decoder_bias, (x_model - x).mean(axis=0), rtol=1e-12)


def trained(rule, *, offset="mean", weight_decay=0.0):
    rng = np.random.default_rng(5)
    x, t = rng.random((20, N)), rng.random((20, M))
    layer = Layer.create(N, M, rng=rng, offset=x.mean(0) if offset == "mean" else 0.0)
    train(layer, x, t, rule=rule, learning_rate=0.7, weight_decay=weight_decay)
    return layer


def test_centered_hebb_equals_the_covariance_rule_after_a_whole_pass():
    np.testing.assert_allclose(trained("hebb").weights, trained("covariance").weights, rtol=1e-12)
    assert (
        np.abs(trained("hebb", offset="none").weights - trained("covariance", offset="none").weights).max()
        > 0.1
    )


def test_centered_hebb_does_not_equal_the_covariance_rule_with_weight_decay():
    decayed = [trained(rule, weight_decay=0.1).weights for rule in ("hebb", "covariance")]
    assert np.abs(decayed[0] - decayed[1]).max() > 0.05


def test_hebb_and_covariance_leave_the_bias_alone():
    for rule in ("hebb", "covariance"):
        np.testing.assert_array_equal(trained(rule).bias, 0)


INCREASING = [name for name in ACTIVATIONS if get_activation(name).strictly_increasing]


@pytest.mark.parametrize("activation", INCREASING)
@settings(max_examples=40)
@given(
    weights=hnp.arrays(np.float64, (N, M), elements=finite),
    x=hnp.arrays(np.float64, (1, N), elements=finite),
    t=hnp.arrays(np.float64, (1, M), elements=finite),
)
def test_for_one_pattern_the_angle_to_the_gradient_is_below_90_degrees(activation, weights, x, t):
    layer = Layer.from_weights(weights, activation=activation)
    activity = activity_of(layer, x, t)
    hd, gd = (RULES[rule].change(activity) for rule in ("hebbian_descent", "gradient_descent"))
    length = (hd.weights**2).sum() + (hd.bias**2).sum()
    inner = (hd.weights * gd.weights).sum() + (hd.bias * gd.bias).sum()
    assume(length > 1e-20)  # both updates vanish together where the error does
    assert inner > 0


def test_for_a_batch_the_angle_to_the_gradient_can_exceed_90_degrees():
    rng = np.random.default_rng(0)
    exceeded = 0
    for _ in range(2000):
        layer = Layer.from_weights(3 * rng.normal(size=(2, 1)), activation="sigmoid")
        x, t = 2 * rng.normal(size=(2, 2)), rng.integers(0, 2, (2, 1)).astype(float)
        activity = activity_of(layer, x, t)
        hd, gd = (RULES[rule].change(activity) for rule in ("hebbian_descent", "gradient_descent"))
        exceeded += (hd.weights * gd.weights).sum() + (hd.bias * gd.bias).sum() < 0
    assert exceeded > 20  # the theorem of the paper is about single patterns


@pytest.mark.parametrize(
    ("activation", "a", "t", "hd_moves", "gd_moves", "product_is_positive"),
    [
        ("sigmoid", 1.0, 0.0, True, True, True),  # (i)   HD² > 0, φ′ > 0
        ("explin", 2.0, 2.0, False, False, False),  # (ii)  HD² = 0, φ′ > 0
        ("rectifier", -1.0, 1.0, True, False, False),  # (iv)  HD² > 0, φ′ = 0
        ("rectifier", -1.0, 0.0, False, False, False),  # (iii) HD² = 0, φ′ = 0
    ],
)
def test_the_cases_of_the_scalar_product(activation, a, t, hd_moves, gd_moves, product_is_positive):
    layer = Layer.from_weights([[0.0]], activation=activation, bias=a)
    activity = activity_of(layer, np.array([[1.0]]), np.array([[t]]))
    hd, gd = (RULES[rule].change(activity).bias[0] for rule in ("hebbian_descent", "gradient_descent"))
    assert ((hd != 0), (gd != 0), (hd * gd > 0)) == (hd_moves, gd_moves, product_is_positive)


@pytest.mark.parametrize("activation", INCREASING)
def test_hebbian_descent_is_gradient_descent_with_a_learning_rate_for_each_unit(activation):
    layer, (x, t) = make_layer(activation), make_batch(activation, n=1)
    activity = activity_of(layer, x, t)
    a, h = activity.preactivation, activity.output
    kappa = 0.3
    eta = kappa / layer.activation.pull_back(np.ones_like(a), a, h)  # one learning rate per unit
    gd = RULES["gradient_descent"].change(activity)
    hd = RULES["hebbian_descent"].change(activity)
    np.testing.assert_allclose(eta * gd.weights, kappa * hd.weights, rtol=1e-10)
    np.testing.assert_allclose(eta[0] * gd.bias, kappa * hd.bias, rtol=1e-10)


WITHOUT_BIAS = Rule("hebbian_descent_without_bias", hebbian_descent_factors, learns_bias=False)
CORRELATED = {
    "2-D, one pair doubled": (
        [[0, 1], [1, 1], [1, 0], [1, 0]],
        [[0, 1], [1, 0], [1, 1], [1, 1]],
        [[0, 0], [0, 0], [1, 1], [1, 1]],
    ),
    "3-D, no pair doubled": (
        [[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]],
        [[0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]],
        None,
    ),
}


def rounded_output(rule, x, t):
    rng = np.random.default_rng(0)
    layer = Layer.create(x.shape[1], t.shape[1], rng=rng, offset=x.mean(axis=0))
    train(layer, x, t, rule=rule, learning_rate=10.0, epochs=300)
    layer.weights *= 100 / np.linalg.norm(layer.weights)
    return layer.output(x).round(2)


@pytest.mark.parametrize("name", CORRELATED)
def test_hebbian_descent_learns_correlated_patterns_and_hebb_does_not(name):
    x, t, printed_hebb = CORRELATED[name]
    x, t = np.array(x, float), np.array(t, float)
    np.testing.assert_array_equal(rounded_output(WITHOUT_BIAS, x, t), t)
    for rule in ("hebb", "covariance"):
        output = rounded_output(rule, x, t)
        if printed_hebb is not None:
            np.testing.assert_array_equal(output, printed_hebb)
        else:
            right = (output == t).all(axis=1)
            np.testing.assert_array_equal(right, [False, False, True, False])


def test_a_rectifier_unit_that_is_dead_for_gradient_descent_recovers_with_hebbian_descent():
    rng = np.random.default_rng(0)
    x = rng.random((20, 5))
    t = np.maximum((x - x.mean(axis=0)) @ rng.normal(size=(5, 2)) + 0.2, 0)
    errors = {}
    for rule in ("gradient_descent", "hebbian_descent"):
        layer = Layer.create(
            5, 2, activation="rectifier", offset=x.mean(axis=0), rng=np.random.default_rng(1)
        )
        layer.bias[:] = -10
        before = layer.copy()
        train(layer, x, t, rule=rule, learning_rate=0.1, epochs=300)
        errors[rule] = np.abs(layer.output(x) - t).mean()
        if rule == "gradient_descent":
            np.testing.assert_array_equal(layer.weights, before.weights)
    assert errors["hebbian_descent"] < 0.1 * np.abs(t - t.mean(axis=0)).mean()
    assert errors["gradient_descent"] == pytest.approx(np.abs(t).mean(), rel=1e-14)  # silent, as at the start


def test_a_saturated_sigmoid_unit_keeps_learning_with_hebbian_descent_only():
    layer = Layer.from_weights([[0.0]], activation="sigmoid", bias=-40.0)
    activity = activity_of(layer, np.array([[1.0]]), np.array([[1.0]]))
    assert RULES["hebbian_descent"].change(activity).weights[0, 0] == pytest.approx(-1)
    assert abs(RULES["gradient_descent"].change(activity).weights[0, 0]) < 1e-15


def test_second_derivatives_of_the_hetero_associative_update_commute():
    """It is a gradient, so its Jacobian is symmetric; the auto-associative one is not."""
    layer, (x, t) = make_layer("sigmoid"), make_batch("sigmoid")
    size, step = layer.weights.size, 1e-6
    jacobian = np.empty((size, size))
    for k in range(size):
        for sign in (1, -1):
            nudged = layer.copy()
            nudged.weights.flat[k] += sign * step
            change = RULES["hebbian_descent"].change(activity_of(nudged, x, t)).weights.ravel()
            jacobian[k] = change if sign == 1 else (jacobian[k] - change) / (2 * step)
    np.testing.assert_allclose(jacobian, jacobian.T, atol=1e-8)
