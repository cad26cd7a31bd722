"""Hebbian-descent fits generalized linear models and ends where the statistics packages end."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.linear_model import LogisticRegression

from hebbian_descent import ACTIVATIONS, Layer, get_activation, train
from hebbian_descent.theory.generalized_linear import FAMILIES, family_of, smallest_eigenvalue

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


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_at_convergence_tanh_is_the_logit_model_of_twice_the_preactivation(scale):
    heads = RNG.binomial(1, 1 / (1 + np.exp(-2 * LINEAR_PREDICTOR)))
    layer = Layer.create(
        3, 1, activation=get_activation("scaled_tanh", scale=scale), offset=X.mean(axis=0), rng=RNG
    )
    train(layer, X, scale * (2.0 * heads - 1), learning_rate=0.5 / scale, batch_size=len(X), epochs=3000)
    glm = sm.GLM(heads[:, 0], sm.add_constant(X), family=sm.families.Binomial()).fit(tol=1e-12)
    layer = layer.uncentered()
    np.testing.assert_allclose(2 * np.array([layer.bias[0], *layer.weights[:, 0]]), glm.params, rtol=1e-6)


def test_at_convergence_softmax_is_multinomial_logistic_regression():
    a = X @ RNG.normal(size=(3, 3)) / 2
    labels = np.array([RNG.choice(3, p=p) for p in get_activation("softmax")(a)])
    layer = fitted("softmax", np.eye(3)[labels], learning_rate=2.0, epochs=6000)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, labels)
    np.testing.assert_allclose(layer.output(X), model.predict_proba(X), atol=1e-5)


LOG_LIKELIHOODS = {
    "gaussian": (lambda t, h: stats.norm(h, 1).logpdf(t).sum(axis=-1), [[-1.3, 0.4, 2.0]]),
    "bernoulli": (lambda t, h: stats.bernoulli(h).logpmf(t).sum(axis=-1), [[0.0, 1.0, 1.0]]),
    "bipolar": (lambda t, h: stats.bernoulli((1 + h) / 2).logpmf((1 + t) / 2).sum(axis=-1), [[-1.0, 1, 1]]),
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


def test_the_logit_has_the_inverse_inside_the_logarithm():
    a = np.linspace(-3, 3, 7)
    gamma = get_activation("sigmoid")(a)
    np.testing.assert_allclose(np.log(gamma * (1 - gamma) ** -1), a)
    assert not np.allclose(np.log(gamma * (1 - gamma)) ** -1, a)


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


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_bipolar_tosses_have_a_probability_at_every_scale(scale):
    a = np.array([[-1.2], [0.0], [0.7]])
    family = family_of(get_activation("scaled_tanh", scale=scale))
    heads, tails = (np.exp(family.log_likelihood(np.full_like(a, end), a)) for end in (scale, -scale))
    np.testing.assert_allclose(heads + tails, 1, rtol=1e-12)
    np.testing.assert_allclose(scale * (heads - tails), scale * np.tanh(a[:, 0]), atol=1e-12)
    assert family.dispersion == scale
    step = 1e-6
    rise = family.log_likelihood(np.full_like(a, scale), a + step) - np.log(heads)
    np.testing.assert_allclose(
        rise / step, family.score(np.full_like(a, scale), a)[:, 0], rtol=1e-4, atol=1e-5
    )


INVERTIBLE = [
    name
    for name, phi in zip(ACTIVATIONS, map(get_activation, ACTIVATIONS), strict=True)
    if phi.strictly_increasing and phi.elementwise
]


def test_a_kernel_proves_that_eight_invertible_activations_have_no_distribution():
    eigenvalues = {name: smallest_eigenvalue(name) for name in INVERTIBLE}
    with_family = {name for name, value in eigenvalues.items() if value > -1e-12}
    assert with_family == {"linear", "sigmoid", "scaled_tanh", "exponential"}
    assert len(INVERTIBLE) == 12
    assert max(value for name, value in eigenvalues.items() if name not in with_family) < -1e-8


def test_the_kernel_of_known_moments_is_positive():
    s = np.linspace(-2.25, 2.25, 10)
    tosses = np.cosh(np.add.outer(s, s))  # moments of −1 and 1 with equal chances
    scaled = tosses / np.sqrt(np.outer(np.diag(tosses), np.diag(tosses)))
    assert smallest_eigenvalue("scaled_tanh") == pytest.approx(np.linalg.eigvalsh(scaled).min(), abs=1e-13)
    # Half a toss has no distribution: a dispersion of 2 would need one.
    half = np.sqrt(np.cosh(2 * np.add.outer(s, s)))
    scaled = half / np.sqrt(np.outer(np.diag(half), np.diag(half)))
    found = smallest_eigenvalue("scaled_tanh", dispersion=2.0)
    assert found == pytest.approx(np.linalg.eigvalsh(scaled).min(), abs=1e-13)
    assert found < -0.1
    with pytest.raises(ValueError, match=r"element-wise activation. Got 'softmax'"):
        smallest_eigenvalue("softmax")


def test_activations_of_a_family_are_named_and_all_others_say_that_they_have_none():
    canonical = {make().activation.name for make in FAMILIES.values()}
    assert canonical == {"linear", "sigmoid", "scaled_tanh", "softmax", "exponential"}
    for name in ACTIVATIONS:
        if name in canonical:
            assert family_of(name).activation.name == name
        else:
            with pytest.raises(ValueError, match=rf"'{name}' belongs to no exponential family"):
                family_of(name)
