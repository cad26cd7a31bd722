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

N, N_OUTPUTS = 100, 3
RNG = np.random.default_rng(3)
X = RNG.normal(1, 2, (N, 5))
LABELS = RNG.integers(0, N_OUTPUTS, N)
TARGETS = RNG.random((N, N_OUTPUTS))
AIMS = {HebbianDescentClassifier: LABELS, HebbianDescentRegressor: TARGETS}
KINDS = list(AIMS)
IN_STREAM = [(True, 0.0), ("auto", 0.003), (0.05, 0.05), (1.0, 1.0)]
"""Values of the parameter, and the rates that they stand for."""


def raw(estimator):
    """Return the layer that learns as one without centering."""
    return estimator.weights_.copy(), estimator.bias_ - estimator.weights_ @ estimator.offset_


def gap(n, n_inputs=5):
    """Return how many samples lie between looks near the n-th."""
    most = min(max(8, n_inputs // 16), 32 + n_inputs // 512)
    power = 1
    while power * 2 <= n / 8:
        power *= 2
    return min(most, max(power, most // 8, 1))


def share(n, rate, n_inputs=5):
    """Return how much a look after n samples counts."""
    step = gap(n, n_inputs)
    return max(1 - (1 - rate) ** step, 4 * step / (n + 3 * step))


def average(looks, rate, n_inputs=5):
    """Return the mean of all looks (n, W, b) at a layer, each by its share and by what later ones leave."""
    shares = [share(n, rate, n_inputs) for n, *_ in looks]
    left = [part * np.prod([1 - later for later in shares[m + 1 :]]) for m, part in enumerate(shares)]
    assert sum(left) == pytest.approx(1)
    return tuple(sum(part * look[k] for part, look in zip(left, looks, strict=True)) for k in (1, 2))


def looks_of(estimator, X, y, **known):
    """Return the looks that a stream is averaged over; the estimator itself is not."""
    assert estimator.average is False
    looks = []
    for row in range(len(X)):
        estimator.partial_fit(X[row : row + 1], y[row : row + 1], **known)
        if (row + 1) % gap(row + 1, X.shape[1]) == 0:
            looks.append((row + 1, *raw(estimator)))
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
    assert [n for n, *_ in looks][:24] == [*range(1, 17), *range(18, 33, 2)]
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
    """Where the layer is looked at, a pass over two samples ends after one."""
    settings = {"shuffle": False, "centering": None, "scaling": None, "learning_rate": 0.01}
    looks = looks_of(HebbianDescentRegressor(average=False, **settings), np.tile(X, (2, 1)), [*TARGETS] * 2)
    fitted = HebbianDescentRegressor(average=told, epochs=2, **settings).fit(X, TARGETS)
    assert_averaged(fitted, average(looks, rate))


def test_two_samples_per_pass_are_looked_at_from_an_odd_count_on():
    update = Update(get_rule("hebbian_descent"), get_error_term("difference"), 0.01, bound=REPRESENTABLE)
    setting = OnlineSetting(update, get_activation("linear"), Offset(), averaging=Averaging())
    found = []
    for per_pass in (1, 2):
        arrays = LayerArrays(
            *(np.zeros(shape) for shape in [(N_OUTPUTS, 5), N_OUTPUTS, 5]),
            mean_weights=np.zeros((N_OUTPUTS, 5)),
            mean_bias=np.zeros(N_OUTPUTS),
        )
        progress = np.array([67.0, 67.0])
        loop_of(setting, 5, np.dtype(float), per_pass=per_pass)(
            arrays, X, TARGETS, np.ones(N), np.arange(40), progress
        )
        found.append(arrays.mean)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("batch_size", [3, 5, 8, 20])
def test_batches_are_looked_at_where_a_sample_of_them_is(batch_size):
    settings = {"centering": None, "scaling": None, "shuffle": False, "batch_size": batch_size, "epochs": 1}
    alone = HebbianDescentRegressor(average=False, warm_start=True, **settings)
    expected = [np.zeros((N_OUTPUTS, 5)), np.zeros(N_OUTPUTS)]
    for start in range(0, N, batch_size):
        alone.fit(X[start : start + batch_size], TARGETS[start : start + batch_size])
        last = [n for n in range(start + 1, min(N, start + batch_size) + 1) if n % gap(n) == 0][-1:]
        for n in last:  # the share is that of the last of them
            expected = [
                mean + share(n, 0.0) * (now - mean) for mean, now in zip(expected, raw(alone), strict=True)
            ]
    assert_averaged(HebbianDescentRegressor(average=True, **settings).fit(X, TARGETS), expected)


def test_wide_layers_are_looked_at_less_often():
    assert [Averaging.spacing(n) for n in (1, 143, 144, 784, 2**18)] == [8, 8, 9, 33, 544]
    assert [Averaging.step_at(n, 2**18) for n in (1, 543, 1024, 2048, 4096, 9999)] == [
        *(68, 68, 128, 256, 512, 544)
    ]
    wide = np.random.default_rng(0).normal(size=(40, 320))
    looks = looks_of(HebbianDescentRegressor(average=False), wide, TARGETS)
    assert [n for n, *_ in looks][:4] == [2, 4, 6, 8]
    averaged = HebbianDescentRegressor(average=0.02).partial_fit(wide, TARGETS[:40])
    assert Averaging().share_after(2, 1, 320) == 1
    assert_averaged(averaged, average(looks, 0.02, n_inputs=320))


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
    wide = np.random.default_rng(0).normal(size=(4, 1600))
    estimator, plain = kind(), kind(average=False)
    for row in range(4):
        for each in (estimator, plain):
            each.partial_fit(wide[row : row + 1], AIMS[kind][row : row + 1], **known_to(kind))
        if row < 3:
            np.testing.assert_array_equal(estimator._preactivation(wide), plain._preactivation(wide))
    assert not np.array_equal(estimator.mean_weights_, estimator.weights_ * 0)
    weights, _ = raw(plain)
    before = share(4, 0.003, 1600)
    np.testing.assert_allclose(estimator.mean_weights_, before * weights, rtol=1e-11, atol=1e-13)


def plain_after(n):
    return raw(HebbianDescentRegressor(average=False).partial_fit(X[:n], TARGETS[:n]))


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
    now, part = raw(regressor), share(48, 0.0)
    middle = plain_after(44)
    for n, look in ((44, middle), (48, now)):
        part = share(n, 0.0)
        weights, bias = weights + part * (look[0] - weights), bias + part * (look[1] - bias)
    assert_averaged(regressor, (weights, bias))


def test_a_rate_of_1_is_not_taken_for_true():
    """The two are equal, and mean the last look and the last quarter."""
    changed = HebbianDescentRegressor(average=True).partial_fit(X[:40], TARGETS[:40])
    changed.set_params(average=1.0).partial_fit(X[40:48], TARGETS[40:48])
    assert_averaged(changed, raw(changed))


def test_a_class_that_comes_late_has_had_weights_of_zero():
    labels = np.where(np.arange(N) < 50, LABELS % 2, 2)
    plain = HebbianDescentClassifier(average=False)
    looks = [
        (n, np.vstack([W, np.zeros((3 - len(W), 5))]), np.append(b, np.zeros(3 - len(b))))
        for n, W, b in looks_of(plain, X, labels)
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
        (-0.1, ValueError, "above 0"),
        (0.0, ValueError, "above 0"),
        (1.5, ValueError, "at most 1"),
        (np.nan, ValueError, "above 0"),
        (None, TypeError, "average"),
        ([0.1], TypeError, "average"),
    ],
)
def test_what_is_no_average(wrong, error, message):
    assert [as_average(each) for each in (True, np.False_, "auto", 0.5)] == [True, False, "auto", 0.5]
    with pytest.raises(error, match=message):
        as_average(wrong)
