"""Hebbian-descent fits generalized linear models and ends where the statistics packages end."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.linear_model import LogisticRegression

from hebbian_descent import ACTIVATIONS, Layer, get_activation, train
from hebbian_descent.theory.generalized_linear import FAMILIES, family_of

RNG = np.random.default_rng(11)
X = RNG.normal(loc=[1.0, -0.5, 2.0], size=(80, 3))
LINEAR_PREDICTOR = (X - X.mean(axis=0)) @ [[0.5], [-0.8], [0.3]] + 0.2


def fitted(activation, targets, learning_rate, epochs):
    layer = Layer.create(3, targets.shape[1], activation=activation, offset=X.mean(axis=0), rng=RNG)
    train(layer, X, targets, learning_rate=learning_rate, batch_size=len(X), epochs=epochs)
    return layer


@pytest.mark.parametrize(
    ("activation", "family", "draw", "learning_rate"),
    [
        ("linear", sm.families.Gaussian(), lambda a: a + RNG.normal(size=a.shape), 0.5),
        ("sigmoid", sm.families.Binomial(), lambda a: RNG.binomial(1, 1 / (1 + np.exp(-a))), 2.0),
        ("exponential", sm.families.Poisson(), lambda a: RNG.poisson(np.exp(a)), 0.2),
    ],
    ids=["identity", "logit", "log"],
)
def test_at_convergence_the_network_is_the_canonical_glm(activation, family, draw, learning_rate):
    targets = draw(LINEAR_PREDICTOR).astype(float)
    layer = fitted(activation, targets, learning_rate, epochs=3000).uncentered()
    glm = sm.GLM(targets[:, 0], sm.add_constant(X), family=family).fit(tol=1e-12)
    np.testing.assert_allclose([layer.bias[0], *layer.weights[:, 0]], glm.params, atol=1e-5)
    np.testing.assert_allclose(layer.output(X)[:, 0], glm.fittedvalues, atol=1e-5)


def test_at_convergence_softmax_is_multinomial_logistic_regression():
    a = X @ RNG.normal(size=(3, 3)) / 2
    labels = np.array([RNG.choice(3, p=p) for p in get_activation("softmax")(a)])
    layer = fitted("softmax", np.eye(3)[labels], learning_rate=2.0, epochs=6000)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, labels)
    np.testing.assert_allclose(layer.output(X), model.predict_proba(X), atol=1e-5)


LOG_LIKELIHOODS = {
    "gaussian": (lambda t, h: stats.norm(h, 1).logpdf(t).sum(axis=-1), [[-1.3, 0.4, 2.0]]),
    "bernoulli": (lambda t, h: stats.bernoulli(h).logpmf(t).sum(axis=-1), [[0.0, 1.0, 1.0]]),
    "categorical": (lambda t, h: np.log((t * h).sum(axis=-1)), [[0.0, 0.0, 1.0]]),
    "poisson": (lambda t, h: stats.poisson(h).logpmf(t).sum(axis=-1), [[0.0, 7.0, 2.0]]),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_log_likelihood_is_that_of_the_distribution(name):
    family = FAMILIES[name]()
    exact, t = LOG_LIKELIHOODS[name]
    a, t = np.array([[-0.7, 1.5, 0.3]]), np.array(t)
    np.testing.assert_allclose(family.log_likelihood(t, a), exact(t, family.activation(a)), rtol=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
def test_score_is_the_negative_error_of_hebbian_descent(name):
    family, t = FAMILIES[name](), np.array(LOG_LIKELIHOODS[name][1])
    a, step = np.array([[-0.7, 1.5, 0.3]]), 1e-6
    for j in range(3):
        nudge = np.eye(3)[j] * step
        rise = family.log_likelihood(t, a + nudge) - family.log_likelihood(t, a - nudge)
        assert rise[0] / (2 * step) == pytest.approx(family.score(t, a)[0, j], rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(family.score(t, a), t - family.activation(a))


def test_values_outside_the_support_have_no_likelihood():
    a = np.zeros((2, 1))
    np.testing.assert_array_equal(FAMILIES["poisson"]().log_likelihood(np.array([[0.5], [-1.0]]), a), -np.inf)
    np.testing.assert_array_equal(
        FAMILIES["bernoulli"]().log_likelihood(np.array([[1.5], [-0.1]]), a), -np.inf
    )
    off_the_simplex = np.array([[0.5, 0.4], [0.5, 0.5]])
    likelihood = FAMILIES["categorical"]().log_likelihood(off_the_simplex, np.zeros((2, 2)))
    np.testing.assert_allclose(likelihood, [-np.inf, np.log(0.5)])


def test_a_pattern_is_supported_only_if_all_its_outputs_are():
    likelihood = FAMILIES["poisson"]().log_likelihood(np.array([[1.0, 0.5], [1.0, 2.0]]), np.zeros((2, 2)))
    assert likelihood[0] == -np.inf
    assert np.isfinite(likelihood[1])


def test_activations_of_a_family_are_named_and_all_others_say_that_they_have_none():
    canonical = {make().activation.name for make in FAMILIES.values()}
    assert canonical == {"linear", "sigmoid", "softmax", "exponential"}
    for name in ACTIVATIONS:
        if name in canonical:
            assert family_of(name).activation.name == name
        else:
            with pytest.raises(ValueError, match=rf"'{name}' belongs to no exponential family"):
                family_of(name)
