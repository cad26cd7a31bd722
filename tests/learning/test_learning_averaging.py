"""The layer that predicts is an average: the oracle keeps every look at the layer that learns."""

import numpy as np
import pytest

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor, Layer
from hebbian_descent.engines.online import LayerArrays, OnlineSetting, loop_of
from hebbian_descent.learning.averaging import Averaging, LayerMean, as_average
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import REPRESENTABLE
from hebbian_descent.learning.step import Update
from hebbian_descent.network import get_activation
from hebbian_descent.rules import get_error_term, get_rule

N, N_OUTPUTS, SPACING = 100, 3, 8
RNG = np.random.default_rng(3)
X = RNG.normal(1, 2, (N, 5))
LABELS = RNG.integers(0, N_OUTPUTS, N)
TARGETS = RNG.random((N, N_OUTPUTS))
AIMS = {HebbianDescentClassifier: LABELS, HebbianDescentRegressor: TARGETS}
KINDS = list(AIMS)
IN_STREAM = [(True, 0.0), ("auto", 0.001), (0.05, 0.05), (1.0, 1.0)]
"""Values of the parameter, and the rates that they stand for."""


def raw(estimator):
    """Return the layer that learns as one without centering."""
    return estimator.weights_.copy(), estimator.bias_ - estimator.weights_ @ estimator.offset_


def average(looks, rate, spacing=SPACING):
    """Return the mean of all looks at a layer, each by its share and by what later ones leave of it."""
    least = 1 - (1 - rate) ** spacing
    shares = [max(least, 4 / (m + 3)) for m in range(1, len(looks) + 1)]
    left = [share * np.prod([1 - later for later in shares[m + 1 :]]) for m, share in enumerate(shares)]
    assert sum(left) == pytest.approx(1)
    return tuple(sum(part * arrays[k] for part, arrays in zip(left, looks, strict=True)) for k in range(2))


def looks_of(estimator, X, y, spacing=SPACING, **known):
    """Return the looks that a stream is averaged over; the estimator itself is not."""
    assert estimator.average is False
    looks = []
    for row in range(len(X)):
        estimator.partial_fit(X[row : row + 1], y[row : row + 1], **known)
        if estimator.n_samples_seen_ % spacing == 0:
            looks.append(raw(estimator))
    return looks


def assert_averaged(estimator, expected, rtol=1e-12):
    for found, other in zip((estimator.mean_weights_, estimator.mean_bias_), expected, strict=True):
        np.testing.assert_allclose(found, other, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize(("told", "rate"), IN_STREAM)
@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_is_averaged_over_all_looks(kind, told, rate):
    settings = {"weight_decay": 0.01, "shift": 0.05}
    looks = looks_of(kind(average=False, **settings), X, AIMS[kind], **known_to(kind))
    averaged = kind(average=told, **settings).partial_fit(X, AIMS[kind], **known_to(kind))
    assert len(looks) == N // SPACING
    assert_averaged(averaged, average(looks, rate))


def known_to(kind):
    return {"classes": range(N_OUTPUTS)} if kind is HebbianDescentClassifier else {}


@pytest.mark.parametrize("kind", KINDS)
def test_the_layer_that_learns_does_not_notice(kind):
    averaged, plain = (
        kind(average=each, random_state=0).partial_fit(X, AIMS[kind]) for each in (True, False)
    )
    for name in ("weights_", "bias_", "offset_", "precisions_"):
        np.testing.assert_array_equal(getattr(averaged, name), getattr(plain, name))
    assert "mean_weights_" not in vars(plain)


@pytest.mark.parametrize(("told", "rate"), [(True, 0.0), ("auto", 0.0), (0.05, 0.05)])
def test_a_fit_is_averaged_over_all_looks(told, rate):
    """Two samples per pass: 8 of them end with a pass."""
    settings = {"shuffle": False, "centering": None, "scaling": None, "learning_rate": 0.01}
    looks = looks_of(HebbianDescentRegressor(average=False, **settings), np.tile(X, (2, 1)), [*TARGETS] * 2)
    fitted = HebbianDescentRegressor(average=told, epochs=2, **settings).fit(X, TARGETS)
    assert_averaged(fitted, average(looks, rate))


def test_two_samples_per_pass_are_looked_at_after_the_second():
    """From an odd count on, every eighth sample is the first of its pass."""
    update = Update(get_rule("hebbian_descent"), get_error_term("difference"), 0.01, bound=REPRESENTABLE)
    setting = OnlineSetting(update, get_activation("linear"), Offset(), averaging=Averaging())
    loop = loop_of(setting, 5, np.dtype(float), per_pass=2)
    arrays = LayerArrays(
        *(np.zeros(shape) for shape in [(N_OUTPUTS, 5), N_OUTPUTS, 5]),
        mean_weights=np.zeros((N_OUTPUTS, 5)),
        mean_bias=np.zeros(N_OUTPUTS),
    )
    progress = np.array([3.0, 3.0])
    loop(arrays, X, TARGETS, np.ones(N), np.arange(40), progress)
    if loop.__class__.__name__ == "partial":
        pytest.skip("the plain twin has no passes")
    settings = {"centering": None, "scaling": None, "learning_rate": 0.01, "average": False}
    alone, looks = HebbianDescentRegressor(**settings), []
    for end in range(1, 41):
        alone.partial_fit(X[end - 1 : end], TARGETS[end - 1 : end])
        if end in (6, 14, 22, 30, 38):  # 3 + 5 = 8 comes first in a pass that ends with 9
            looks.append(raw(alone))
    expected = average(looks, 0.0)
    np.testing.assert_allclose(arrays.mean_weights, expected[0], rtol=1e-12)
    np.testing.assert_allclose(arrays.mean_bias, expected[1], rtol=1e-12)


@pytest.mark.parametrize("batch_size", [3, 5, 8, 20])
def test_batches_are_looked_at_where_they_cross_a_multiple(batch_size):
    settings = {"centering": None, "scaling": None, "shuffle": False, "batch_size": batch_size, "epochs": 1}
    alone = HebbianDescentRegressor(average=False, warm_start=True, **settings)
    looks, n_multiples = [], 0
    for start in range(0, N, batch_size):
        alone.fit(X[start : start + batch_size], TARGETS[start : start + batch_size])
        if alone.n_samples_seen_ // SPACING > n_multiples:
            looks.append((alone.n_samples_seen_ // SPACING, *raw(alone)))
            n_multiples = alone.n_samples_seen_ // SPACING
    expected = [np.zeros((N_OUTPUTS, 5)), np.zeros(N_OUTPUTS)]
    for number, *layer in looks:  # a batch may cross several: the share is that of the last
        share = 4 / (number + 3)
        expected = [mean + share * (now - mean) for mean, now in zip(expected, layer, strict=True)]
    assert_averaged(HebbianDescentRegressor(average=True, **settings).fit(X, TARGETS), expected)


def test_wide_layers_are_looked_at_less_often():
    assert [Averaging.spacing(n) for n in (1, 128, 143, 144, 1600)] == [8, 8, 8, 9, 100]
    wide = np.random.default_rng(0).normal(size=(40, 160))
    looks = looks_of(HebbianDescentRegressor(average=False), wide, TARGETS, spacing=10)
    averaged = HebbianDescentRegressor(average=0.02).partial_fit(wide, TARGETS[:40])
    assert_averaged(averaged, average(looks, 0.02, spacing=10))


def test_an_average_is_mostly_over_the_last_quarter():
    layer = Layer.from_weights(np.zeros((1, 1)))
    mean = LayerMean(np.zeros((1, 1)), np.zeros(1))
    for number in range(1, 401):
        layer.bias[:] = number > 300
        mean.follow(layer, Averaging().share_after(8 * number, 8, 1))
    assert 0.6 < mean.bias[0] < 0.75


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_are_those_of_the_average(kind):
    estimator = kind().partial_fit(X, AIMS[kind])
    mean = X @ estimator.mean_weights_.T + estimator.mean_bias_
    np.testing.assert_array_equal(estimator.coef_, estimator.mean_weights_)
    np.testing.assert_array_equal(estimator.intercept_, estimator.mean_bias_)
    if kind is HebbianDescentRegressor:
        np.testing.assert_allclose(estimator.predict(X), mean, rtol=1e-12)
    else:
        np.testing.assert_allclose(estimator.decision_function(X), mean, rtol=1e-12)
        np.testing.assert_array_equal(estimator.predict(X), mean.argmax(axis=1))
    assert np.abs(mean - (X @ raw(estimator)[0].T + raw(estimator)[1])).max() > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_before_the_first_look_predictions_are_those_of_the_layer(kind):
    estimator, plain = kind(), kind(average=False)
    for row in range(SPACING - 1):
        for each in (estimator, plain):
            each.partial_fit(X[row : row + 1], AIMS[kind][row : row + 1], **known_to(kind))
        np.testing.assert_array_equal(estimator._preactivation(X), plain._preactivation(X))
        np.testing.assert_array_equal(estimator.coef_, plain.coef_)
    for each in (estimator, plain):  # the first look is the layer itself
        each.partial_fit(X[7:8], AIMS[kind][7:8])
    np.testing.assert_array_equal(estimator.mean_weights_, plain.weights_)
    np.testing.assert_allclose(estimator._preactivation(X), plain._preactivation(X), rtol=1e-11)


def test_turned_off_and_on_again():
    """Off, the layer predicts at once, and its average is forgotten with the next sample."""
    regressor = HebbianDescentRegressor().partial_fit(X[:40], TARGETS[:40])
    averaged = regressor.predict(X)
    regressor.set_params(average=False)
    weights, bias = raw(regressor)
    np.testing.assert_allclose(regressor.predict(X), X @ weights.T + bias, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(regressor.set_params(average="auto").predict(X), averaged)
    regressor.set_params(average=False).partial_fit(X[40:43], TARGETS[40:43])
    assert "mean_weights_" not in vars(regressor)
    weights, bias = raw(regressor)
    regressor.set_params(average=True)
    np.testing.assert_allclose(regressor.predict(X), X @ weights.T + bias, rtol=1e-11, atol=1e-12)
    regressor.partial_fit(X[43:48], TARGETS[43:48])  # a new average begins where it was turned on
    share, now = 4 / (48 // SPACING + 3), raw(regressor)
    assert_averaged(regressor, (weights + share * (now[0] - weights), bias + share * (now[1] - bias)))


def test_a_rate_of_1_is_not_taken_for_true():
    """The two are equal, and mean the last look and the last quarter."""
    changed = HebbianDescentRegressor(average=True).partial_fit(X[:40], TARGETS[:40])
    changed.set_params(average=1.0).partial_fit(X[40:48], TARGETS[40:48])
    assert_averaged(changed, raw(changed))


def test_a_class_that_comes_late_has_had_weights_of_zero():
    labels = np.where(np.arange(N) < 50, LABELS % 2, 2)
    plain = HebbianDescentClassifier(average=False)
    looks = [
        (np.vstack([W, np.zeros((3 - len(W), 5))]), np.append(b, np.zeros(3 - len(b))))
        for W, b in looks_of(plain, X, labels)
    ]
    assert_averaged(HebbianDescentClassifier(average=True).partial_fit(X, labels), average(looks, 0.0))


def test_an_average_follows_a_target_as_far_as_its_rate_lets_it():
    """It filters noise: what is left is less than the layer itself has, in a stream and in `fit`."""
    rng = np.random.default_rng(0)
    inputs, truth = rng.normal(size=(4000, 5)), rng.normal(size=5)
    noisy = inputs @ truth + rng.normal(size=4000)
    for method in ("fit", "partial_fit"):
        left = {}
        for each in (True, "auto", 0.01, False):
            regressor = getattr(HebbianDescentRegressor(average=each, random_state=0), method)(inputs, noisy)
            left[each] = np.linalg.norm(regressor.coef_ - truth)
        assert max(left[True], left["auto"], left[0.01]) < left[False] / 2


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("yes", ValueError, r'must be True, False, "auto" or a rate\. Got .yes'),
        (-0.1, ValueError, "at least 0"),
        (1.5, ValueError, "at most 1"),
        (np.nan, ValueError, "at least 0"),
        (None, TypeError, "average"),
        ([0.1], TypeError, "average"),
    ],
)
def test_what_is_no_average(wrong, error, message):
    assert [as_average(each) for each in (True, np.False_, "auto", 0.5)] == [True, False, "auto", 0.5]
    with pytest.raises(error, match=message):
        as_average(wrong)
