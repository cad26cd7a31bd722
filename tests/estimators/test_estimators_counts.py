"""Exponential units learn rates of counts as well as Poisson regression that solves for them."""

import numpy as np
import pytest
from same_bits import assert_same_bits
from sklearn.linear_model import PoissonRegressor
from sklearn.metrics import d2_tweedie_score

from hebbian_descent import HebbianDescentRegressor, load
from hebbian_descent.thread_pools import one_thread

RECIPES = {  # spread of the weights, bias, whether rates vary beyond what the inputs say
    "small counts": (0.3, 0.5, False),
    "about a hundred": (0.3, np.log(100), False),
    "a hundred, far apart": (0.7, np.log(100), False),
    "mostly zeros": (0.5, -2.0, False),
    "skewed": (0.4, 1.0, True),
}


def counts(recipe, seed, n_samples=2000):
    """Return inputs and counts to learn, and others to test."""
    rng = np.random.default_rng(seed)
    spread, bias, varies = RECIPES[recipe]
    x = rng.normal(size=(2 * n_samples, 5))
    rates = np.exp(x @ rng.normal(scale=spread, size=5) + bias)
    t = rng.poisson(rates * rng.gamma(1.0, 1.0, len(x)) if varies else rates).astype(float)
    return x[:n_samples], t[:n_samples], x[n_samples:], t[n_samples:]


def deviance_explained(model, x, t):
    return d2_tweedie_score(t, model.predict(x), power=1)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_counts_are_learned_as_by_poisson_regression(recipe, method):
    lacks = []
    for seed in range(3):
        x, t, *test = counts(recipe, seed)
        with one_thread():  # several wait for each other longer than one takes
            best = PoissonRegressor(alpha=0, max_iter=1000).fit(x, t)
        own = getattr(HebbianDescentRegressor(activation="exponential", random_state=seed), method)(x, t)
        lacks.append(deviance_explained(best, *test) - deviance_explained(own, *test))
    assert np.mean(lacks) < (0.008 if method == "fit" else 0.015)


def test_the_mean_of_counts_is_learned_without_bias():
    """Steps that are shorter for larger counts would leave it a fifth too small."""
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(4000, 1)), rng.poisson(3.0, 4000).astype(float)
    regressor = HebbianDescentRegressor(activation="exponential", random_state=0).fit(x, t)
    assert regressor.predict(x).mean() == pytest.approx(t.mean(), rel=0.06)


def test_a_stream_of_counts_in_pieces_or_one_by_one_is_the_same(tmp_path):
    x, t, *_ = counts("skewed", 0, 200)
    whole = HebbianDescentRegressor(activation="exponential", random_state=0).partial_fit(x, t)
    single = HebbianDescentRegressor(activation="exponential", random_state=0)
    for row in range(len(x)):
        single.partial_fit(x[row : row + 1], t[row : row + 1])
    assert_same_bits(whole, single)
    assert whole.largest_target_ == 2 ** np.ceil(np.log2(t.max()))
    single.save(tmp_path / "counts.safetensors")
    assert_same_bits(load(tmp_path / "counts.safetensors"), single)


def test_a_new_fit_forgets_the_largest_target():
    x, t, *_ = counts("small counts", 0, 200)
    regressor = HebbianDescentRegressor(activation="exponential", random_state=0).fit(x, 1000 * t)
    fresh = HebbianDescentRegressor(activation="exponential", random_state=0).fit(x, t)
    assert_same_bits(regressor.fit(x, t), fresh)


def test_other_units_know_no_largest_target():
    x, t, *_ = counts("small counts", 0, 50)
    assert not hasattr(HebbianDescentRegressor().fit(x, t), "largest_target_")
    fixed = HebbianDescentRegressor(activation="exponential", learning_rate=0.01).fit(x, t)
    assert not hasattr(fixed, "largest_target_")


def test_noisy_targets_are_averaged():
    """κ is one half for regression: a stream of noisy targets comes close to least squares."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 5))
    t = x @ np.arange(5.0) + rng.normal(scale=5, size=3000)
    regressor = HebbianDescentRegressor().partial_fit(x, t)
    np.testing.assert_allclose(regressor.coef_, np.arange(5.0), atol=0.4)


@pytest.mark.parametrize("activation", ["linear", "rectifier", "exponential"])
@pytest.mark.parametrize("rate", ["auto", 0.01])
def test_the_first_sample_of_a_stream_teaches_the_bias_alone(activation, rate):
    """An input that happens to be near 0 says nothing about its spread and gets no enormous weight."""
    rng = np.random.default_rng(0)
    x, t = rng.random((300, 5)), rng.poisson(3.0, 300).astype(float)
    x[0, 2], t[0] = 1e-9, 5.0
    settings = {"activation": activation, "learning_rate": rate, "average": False}
    first = HebbianDescentRegressor(**settings).partial_fit(x[:1], t[:1])
    assert not first.weights_.any()
    assert first.bias_[0] != 0
    moving = HebbianDescentRegressor(centering="moving", shuffle=False, epochs=1, random_state=0, **settings)
    for regressor in (first.partial_fit(x[1:], t[1:]), moving.fit(x, t)):
        assert np.abs(regressor.predict(x) - 3).max() < 30
