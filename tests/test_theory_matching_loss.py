"""What docs/theory.md says about the matching loss: other names of it, and what it bounds."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from hebbian_descent import ACTIVATIONS, get_activation

ELEMENTWISE = [name for name in ACTIVATIONS if get_activation(name).elementwise]
SMOOTH = [name for name in ELEMENTWISE if np.isfinite(get_activation(name).largest_slope)]
INVERTIBLE = [name for name in ELEMENTWISE if get_activation(name).strictly_increasing]
A = np.linspace(-4.03, 4, 30)  # not at a kink
SHARES = np.linspace(0.02, 0.98, 13)


def loss(activation, t, a):
    return float(activation.matching_loss(np.array([t]), np.array([a]))[0])


def value(function, at):
    return float(function(np.array([at]))[0])


def pairs(activation):
    """Return targets inside the domain and preactivations, every one with every other."""
    low, high = max(activation.domain.low, -3.0), min(activation.domain.high, 3.0)
    return (array.ravel() for array in np.meshgrid(low + SHARES * (high - low), A))


@pytest.mark.parametrize("name", ["linear", "sigmoid", "scaled_tanh", "rectifier", "softplus", "explin"])
def test_it_is_the_area_between_activation_and_target(name):
    phi, t, a = get_activation(name), 0.4, 1.7
    low, high = -30.0, 30.0  # bisection: where φ reaches the target
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if value(phi, middle) < t else (low, middle)
    area, _ = quad(lambda s: value(phi, s) - t, low, a, points=[0.0] if low < 0 < a else None)
    assert loss(phi, t, a) == pytest.approx(area, abs=1e-7)


def mean_loss(activation, x, t, w):
    """Return the matching loss of a layer, the last row of whose weights is its bias."""
    return float(activation.matching_loss(t, x @ w[:-1] + w[-1]).sum(axis=-1).mean())


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_it_is_convex_in_weights_and_bias(name):
    phi, rng = get_activation(name), np.random.default_rng(0)
    x, t = rng.normal(size=(6, 4)), rng.dirichlet(np.ones(3), size=6)  # in the domain of every activation
    for _ in range(200):
        one, other = rng.normal(size=(2, 5, 3))
        share = rng.random()
        chord = share * mean_loss(phi, x, t, one) + (1 - share) * mean_loss(phi, x, t, other)
        assert mean_loss(phi, x, t, share * one + (1 - share) * other) <= chord + 1e-9


def test_the_squared_error_of_sigmoid_units_is_not_convex():
    def error(a):
        return (1 / (1 + np.exp(-a)) - 1) ** 2 / 2

    assert error(-4.0) > (error(-8.0) + error(0.0)) / 2


@pytest.mark.parametrize("name", ["sigmoid", "scaled_tanh", "softplus"])
def test_every_local_minimum_of_a_layer_is_global(name):
    phi, rng = get_activation(name), np.random.default_rng(1)
    x, t = rng.normal(size=(12, 2)), rng.uniform(0.1, 0.9, (12, 1))  # more patterns than weights
    found = [
        minimize(lambda w: mean_loss(phi, x, t, w[:, None]), rng.normal(scale=5, size=3)).fun
        for _ in range(8)
    ]
    assert min(found) > 0.001
    np.testing.assert_allclose(found, min(found), rtol=1e-4)


@pytest.mark.parametrize("name", INVERTIBLE)
def test_it_is_a_bregman_divergence_of_preactivations(name):
    phi = get_activation(name)
    a, b = (array.ravel() for array in np.meshgrid(A, A))
    t = phi(b)
    divergence = phi.antiderivative(a) - phi.antiderivative(b) - t * (a - b)
    np.testing.assert_allclose(phi.matching_loss(t, a), divergence, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", INVERTIBLE)
def test_it_is_a_bregman_divergence_of_outputs_in_the_other_order(name):
    phi = get_activation(name)
    t, a = pairs(phi)
    h = phi(a)
    # The derivative of Φ* at h is a, since φ and its inverse are a pair.
    divergence = phi.conjugate(t) - phi.conjugate(h) - a * (t - h)
    np.testing.assert_allclose(phi.matching_loss(t, a), divergence, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_the_inequality_of_fenchel_and_young(name):
    phi = get_activation(name)
    t, a = pairs(phi)
    assert (phi.antiderivative(a) + phi.conjugate(t) >= t * a - 1e-9).all()


def test_for_sigmoid_units_it_is_the_cross_entropy_less_the_entropy_of_the_target():
    for a in A:
        h = 1 / (1 + np.exp(-a))
        for t in (0.0, 0.1, 0.5, 0.8, 1.0):
            entropy = -sum(p * np.log(p) for p in (t, 1 - t) if p > 0)
            cross_entropy = -t * np.log(h) - (1 - t) * np.log(1 - h)
            assert loss(get_activation("sigmoid"), t, a) == pytest.approx(cross_entropy - entropy, abs=1e-9)


def test_for_softmax_units_it_is_the_cross_entropy_less_the_entropy_of_the_target():
    softmax, rng = get_activation("softmax"), np.random.default_rng(0)
    targets = [*rng.dirichlet(np.ones(4), size=10), np.array([0.0, 0.3, 0.7, 0.0]), *np.eye(4)]
    for t in targets:
        a = rng.normal(scale=3, size=4)
        h = [np.exp(a[k]) / sum(np.exp(a)) for k in range(4)]
        entropy = -sum(p * np.log(p) for p in t if p > 0)
        cross_entropy = -sum(t[k] * np.log(h[k]) for k in range(4))
        found = softmax.matching_loss(t[None], a[None]).sum()
        assert found == pytest.approx(cross_entropy - entropy, abs=1e-9)


def test_for_two_softmax_units_it_is_that_of_a_sigmoid_unit():
    rng = np.random.default_rng(4)
    a, t = rng.normal(0, 2, (50, 2)), rng.dirichlet([1, 1], 50)
    softmax, sigmoid = get_activation("softmax"), get_activation("sigmoid")
    difference = a[:, :1] - a[:, 1:]
    of_two = softmax.matching_loss(t, a).sum(axis=1)
    np.testing.assert_allclose(of_two, sigmoid.matching_loss(t[:, :1], difference)[:, 0], atol=1e-12)


def test_for_step_units_it_is_the_perceptron_loss():
    for a in A:
        for t in (0.0, 1.0):
            assert loss(get_activation("step"), t, a) == max(0.0, -(2 * t - 1) * a)


def test_for_linear_units_it_is_half_the_squared_error():
    t, a = pairs(get_activation("linear"))
    np.testing.assert_allclose(get_activation("linear").matching_loss(t, a), (a - t) ** 2 / 2)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_small_loss_means_a_small_error_where_the_slope_is_bounded(name):
    phi = get_activation(name)
    t, a = pairs(phi)
    assert ((phi(a) - t) ** 2 <= 2 * phi.largest_slope * phi.matching_loss(t, a) + 1e-12).all()


def test_where_the_slope_has_no_bound_a_small_loss_says_nothing_about_the_error():
    for name in ("step", "approximate_step"):
        phi = get_activation(name)
        assert np.isinf(phi.largest_slope)
        assert loss(phi, 0.0, 1e-9) < 1e-8
        assert abs(value(phi, 1e-9) - 0.0) > 0.99


@pytest.mark.parametrize("name", INVERTIBLE)
def test_on_targets_that_disagree_its_minimum_has_their_mean_as_output(name):
    phi, targets = get_activation(name), np.array([0.2, 0.3, 0.7])
    low, high = -60.0, 60.0
    for _ in range(200):  # golden section on a convex function
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if sum(loss(phi, t, left) for t in targets) < sum(loss(phi, t, right) for t in targets):
            high = right
        else:
            low = left
    if name == "approximate_step":
        assert abs(low) < 1e-6  # the mean lies in its jump
    else:
        assert value(phi, low) == pytest.approx(0.4, abs=1e-5)


def test_outside_the_domain_the_loss_would_fall_without_end():
    phi, t = get_activation("sigmoid"), 1.1
    falls = [float(np.logaddexp(0, a)) - t * a for a in (10.0, 100.0, 1000.0)]
    assert falls[0] > falls[1] > falls[2]
    assert loss(phi, t, 10.0) == np.inf
    assert phi.domain.low == 0
    assert phi.domain.high == 1
