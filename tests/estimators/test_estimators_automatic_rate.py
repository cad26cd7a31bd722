"""The automatic learning rate keeps what its page promises."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from hebbian_descent import (
    ACTIVATIONS,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    matching_loss,
)
from hebbian_descent.datasets import draw_pair
from hebbian_descent.learning.rates import KAPPAS, Automatic
from hebbian_descent.network import get_activation
from hebbian_descent.sweep.grids import LEARNING_RATES


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_one_step_takes_kappa_over_slope_of_the_error_from_the_preactivation(activation):
    x, t = np.array([[3.0, -4.0, 1.0]]), np.array([[0.25, 0.75]])
    regressor = HebbianDescentRegressor(activation=activation, centering=None).partial_fit(x, t)
    units = get_activation(activation)
    start = units(np.zeros((1, 2)))
    slope = units.largest_slope if np.isfinite(units.largest_slope) else 1.0
    expected = Automatic("regress").kappa(units) / slope * (t - start)
    np.testing.assert_allclose(regressor._preactivation(x), expected, rtol=1e-12)


@pytest.mark.parametrize("activation", ["linear", "sigmoid", "rectifier", "softplus"])
@pytest.mark.parametrize("batch_size", [1, 4, 30])
def test_no_automatic_step_makes_the_loss_of_its_batch_larger(patterns, activation, batch_size, monkeypatch):
    inputs, _, targets = patterns
    monkeypatch.setitem(KAPPAS["regress"], activation, 1.99)
    settings = {"batch_size": batch_size, "epochs": 1, "shuffle": False, "centering": None}
    regressor = HebbianDescentRegressor(activation=activation, average=False, warm_start=True, **settings)
    losses = []
    for start in range(0, len(inputs), batch_size):
        x, t = inputs[start : start + batch_size], targets[start : start + batch_size]
        a = x @ regressor.coef_.T + regressor.intercept_ if losses else np.zeros_like(t)
        before = matching_loss(activation, t, a).sum()
        regressor.fit(x, t)
        after = matching_loss(activation, t, x @ regressor.coef_.T + regressor.intercept_).sum()
        losses.append((before, after))
    before, after = np.transpose(losses)
    assert (after < before).all()


@pytest.mark.parametrize(("activation", "limit"), [("sigmoid", 1.15), ("linear", 1.25), ("rectifier", 1.25)])
def test_remembering_pairs_comes_near_the_best_fixed_rate(activation, limit):
    inputs, targets = draw_pair("rand", "rand", seed=3)

    def error(rate):
        memory = HebbianDescentRegressor(
            activation=activation, learning_rate=rate, epochs=1, shuffle=False, average=False
        )
        return np.abs(memory.fit(inputs, targets).predict(inputs) - targets).mean()

    best = min(error(rate) for rate in LEARNING_RATES if rate < 2)
    assert error(Automatic("remember")) < limit * best


def test_classifying_comes_near_the_best_fixed_rate():
    X, y = load_digits(return_X_y=True)

    def error(rate):
        classifier = HebbianDescentClassifier(learning_rate=rate, random_state=0)
        return 1 - classifier.fit(X[:1300], y[:1300]).score(X[1300:], y[1300:])

    best = min(error(rate) for rate in LEARNING_RATES if rate < 0.5)
    assert error("auto") < 1.15 * best


def test_the_scale_of_the_inputs_does_not_matter():
    X, y = load_digits(return_X_y=True)
    scores = [
        HebbianDescentClassifier(random_state=0).fit(X[:900] * scale, y[:900]).score(X[900:] * scale, y[900:])
        for scale in (1, 1e4)
    ]
    assert abs(scores[0] - scores[1]) < 0.02
