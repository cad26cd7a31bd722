"""The weight of a sample counts presentations: the oracle presents it in a loop, in the space of weights."""

from functools import partial

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, HebbianDescentClassifier, HebbianDescentRegressor, get_activation
from hebbian_descent.engines.online import ALL_LEARNED, LayerArrays, OnlineSetting, learn_in_python, loop_of
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import REPRESENTABLE
from hebbian_descent.learning.step import Update
from hebbian_descent.rules import get_error_term, get_rule
from tests import oracle
from tests.plain import PLAIN

RULES = ["hebbian_descent", "gradient_descent", "contrastive"]
ERRORS = {
    "difference": lambda t, h: h - t,
    "saturating": lambda t, h: np.tanh(h - t),
    "leaky_hinge": lambda t, h: np.where(t * h < 1, -t, 0.01),
}
N_INPUTS, N_OUTPUTS, ETA = 5, 3, 0.06
SCALED = Offset(takes_data_mean=True)


class Sample:
    """A layer that has already learned, with a fixed offset and scale, and one sample."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.W = rng.uniform(-0.5, 0.5, (N_OUTPUTS, N_INPUTS))
        self.b = rng.uniform(-0.5, 0.5, N_OUTPUTS)
        self.mu = rng.random(N_INPUTS)
        self.sigma = rng.uniform(0.5, 2, N_INPUTS)
        self.x = rng.normal(size=N_INPUTS)
        self.t = rng.dirichlet(np.ones(N_OUTPUTS))

    def activity(self, W, b):
        return W @ (self.x - self.mu) + b

    def learned(self, loop_for, weight, rule, activation, error="difference"):
        """Return W and b after the sample was learned with a weight."""
        update = Update(get_rule(rule), get_error_term(error), ETA, bound=REPRESENTABLE)
        setting = OnlineSetting(update, get_activation(activation), Offset(), SCALED)
        squares, precisions = self.mu**2 + self.sigma**2, self.sigma**-2.0
        arrays = LayerArrays(self.W.copy(), self.b.copy(), self.mu.copy(), squares, precisions)
        x, t, scales = self.x[np.newaxis], self.t[np.newaxis], np.array([float(weight)])
        ended = loop_for(setting)(arrays, x, t, scales, np.arange(1), np.zeros(2))
        assert ended == ALL_LEARNED
        return arrays.weights, arrays.bias

    def presented(self, weight, rule, activation, error="difference"):
        """Return W and b after as many presentations as the weight says, the last one by its fraction."""
        W, b = self.W.copy(), self.b.copy()
        z = (self.x - self.mu) / self.sigma
        for share in [1.0] * int(weight) + [weight % 1]:
            a = self.activity(W, b)
            h = np.array(oracle.output(activation, a))
            post = h - self.t if rule == "contrastive" else ERRORS[error](self.t, h)
            if rule == "gradient_descent":
                post = np.array(oracle.pulled_back(activation, post, a, h))
            W, b = W - share * ETA * np.outer(post, z / self.sigma), b - share * ETA * post
        return W, b


def compiled(setting):
    return loop_of(setting, N_INPUTS, np.dtype(float))


def twin(setting):
    return partial(learn_in_python, setting)


def is_only_presented(rule, activation, error):
    """Whether no implicit step stands for many presentations."""
    return activation == "softmax" and (
        rule == "gradient_descent" or (rule == "hebbian_descent" and error != "difference")
    )


SMOOTH = [name for name in ACTIVATIONS if "step" not in name]
both = pytest.mark.parametrize("loop_for", [compiled, twin])


@both
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_up_to_16_presentations_are_those_of_the_loop(loop_for, activation, rule):
    for seed, error in enumerate(ERRORS):
        sample = Sample(seed)
        if error == "leaky_hinge":
            sample.t = np.where(sample.t > 0.3, 1.0, -1.0)
        for weight in (3, 2.5, 16):
            case = weight, rule, activation, error
            for found, expected in zip(sample.learned(loop_for, *case), sample.presented(*case), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14, err_msg=str(case))


@both
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("activation", SMOOTH)
def test_more_of_them_move_the_output_as_the_loop_does(loop_for, activation, rule):
    """Measured at worst: 0.006 in the output, which is about 1, and 1.17 % of the way of the activity."""
    units = get_activation(activation)
    for seed, error in enumerate(("difference", "saturating")):
        sample = Sample(seed)
        start = sample.activity(sample.W, sample.b)
        for weight in (17, 100, 1000):
            case = weight, rule, activation, error
            if weight > 500 and is_only_presented(rule, activation, error):
                continue
            found = sample.activity(*sample.learned(loop_for, *case))
            expected = sample.activity(*sample.presented(*case))
            assert np.abs(found - expected).max() <= 0.0125 * np.abs(expected - start).max(), case
            h, h_of_loop = units(np.array([found, expected]))
            assert np.abs(h - h_of_loop).max() < 0.01, case


@both
def test_coupled_units_without_an_implicit_step_are_presented_500_times_at_most(loop_for):
    sample = Sample()
    for rule, error in [("gradient_descent", "difference"), ("hebbian_descent", "saturating")]:
        assert is_only_presented(rule, "softmax", error)
        found = sample.learned(loop_for, 1e6, rule, "softmax", error)
        for array, expected in zip(found, sample.presented(500, rule, "softmax", error), strict=True):
            np.testing.assert_allclose(array, expected, rtol=1e-10, atol=1e-12)


@both
def test_linear_units_have_a_closed_form(loop_for):
    sample = Sample()
    for rule in RULES:
        for weight in (17, 100.5, 1000):
            found = sample.learned(loop_for, weight, rule, "linear")
            for array, expected in zip(found, sample.presented(weight, rule, "linear"), strict=True):
                np.testing.assert_allclose(array, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("activation", SMOOTH)
def test_no_weight_is_too_large(activation, rule):
    """However large, it takes no unit beyond its target that one presentation does not."""
    units = get_activation(activation)
    for seed in range(5):
        sample = Sample(seed)
        before, once, always = (
            units(sample.activity(*parameters)[np.newaxis])[0] - sample.t
            for parameters in (
                (sample.W, sample.b),
                sample.learned(compiled, 1, rule, activation),
                sample.learned(compiled, 1e12, rule, activation),
            )
        )
        assert np.isfinite(always).all()
        if not is_only_presented(rule, activation, "difference"):
            stays = once * before > 0
            assert (always * before >= -1e-9)[stays].all()


@pytest.mark.parametrize("activation", ["step", "approximate_step"])
def test_units_that_jump_end_at_the_jump(activation):
    """Their targets lie within it, so that a loop would go back and forth for ever."""
    sample = Sample()
    sample.t[:] = 0.5
    a = sample.activity(*sample.learned(compiled, 1e12, "hebbian_descent", activation))
    np.testing.assert_allclose(a, 0, atol=1e-9)


@both
def test_presentations_that_lead_ever_further_are_refused(loop_for):
    """A rate beyond twice what the pattern allows makes each of them overshoot by more."""
    sample = Sample()
    sample.x *= 100
    update = Update(get_rule("hebbian_descent"), get_error_term("difference"), 1.0, bound=REPRESENTABLE)
    for activation in ("linear", "rectifier"):
        setting = OnlineSetting(update, get_activation(activation), Offset())
        arrays = LayerArrays(sample.W.copy(), sample.b.copy(), sample.mu.copy())
        x, t = sample.x[np.newaxis], sample.t[np.newaxis]
        refused = loop_for(setting)(arrays, x, t, np.array([1e15]), np.arange(1), np.zeros(2))
        if activation == "linear":
            assert refused == 0
            np.testing.assert_array_equal(arrays.weights, sample.W)
        assert all(np.isfinite(array).all() for array in arrays[:3])


def weighted(estimator, X, y, weights):
    return estimator.partial_fit(X, y, sample_weight=weights)


def test_running_means_count_weights():
    rng = np.random.default_rng(0)
    X, t, weights = rng.normal(3, 1, (40, 4)), rng.random(40), rng.choice([0.3, 1.0, 2.5, 20.0], 40)
    regressor = weighted(HebbianDescentRegressor(shift=0.0), X, t, weights)
    np.testing.assert_allclose(regressor.offset_, np.average(X, axis=0, weights=weights), rtol=1e-12)
    np.testing.assert_allclose(regressor.mean_squares_, np.average(X**2, axis=0, weights=weights), rtol=1e-12)
    assert regressor.n_samples_seen_ == 40
    assert regressor.weight_seen_ == pytest.approx(weights.sum())


def test_fit_scales_by_the_weighted_spread():
    rng = np.random.default_rng(0)
    X, t, weights = rng.normal(3, 1, (40, 4)), rng.random(40), rng.choice([0.3, 1.0, 2.5, 20.0], 40)
    regressor = HebbianDescentRegressor(random_state=0).fit(X, t, sample_weight=weights)
    mean = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(regressor.offset_, mean, rtol=1e-12)
    np.testing.assert_allclose(
        regressor.scale_, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights)), rtol=1e-12
    )


def test_weights_of_one_half_halve_the_rate_and_leave_the_means():
    """What is counted in halves has the same mean, so that centering and scale do not notice."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(3, 1, (40, 4)), rng.random((40, 2))
    halves = weighted(HebbianDescentRegressor(learning_rate=0.1), X, t, np.full(40, 0.5))
    slower = HebbianDescentRegressor(learning_rate=0.05).partial_fit(X, t)
    for name in ("weights_", "bias_", "offset_", "scale_", "mean_weights_", "mean_bias_"):
        np.testing.assert_allclose(getattr(halves, name), getattr(slower, name), rtol=1e-12, err_msg=name)
    assert (halves.weight_seen_, slower.weight_seen_) == (20, 40)


def test_a_decay_is_per_sample_whatever_it_weighs():
    X, y = np.array([[1.0, 2.0], [3.0, -1.0]]), [0, 1]
    settings = {"centering": None, "learning_rate": 0.0, "initial_weights": "random", "random_state": 0}
    classifier = HebbianDescentClassifier(weight_decay=0.1, **settings, **PLAIN)
    once = classifier.partial_fit(X, y, classes=y).weights_.copy()
    weighted(classifier, X, y, [7.0, 30.0])
    np.testing.assert_allclose(classifier.weights_, 0.81 * once, rtol=1e-12)


@pytest.mark.parametrize("eta", ["auto", 0.01])
def test_a_batch_takes_weights_as_shares_of_its_mean(eta):
    """So what counts is how they compare: a pattern of weight 3 is three of it in the batch."""
    rng = np.random.default_rng(0)
    X, t, weights = rng.normal(size=(8, 3)), rng.random((8, 2)), rng.integers(1, 4, 8)
    settings = {"learning_rate": eta, "centering": "moving", "epochs": 1, "shuffle": False, "average": False}
    expected = HebbianDescentRegressor(batch_size=weights.sum(), **settings)
    expected.fit(np.repeat(X, weights, axis=0), np.repeat(t, weights, axis=0))
    for factor in (1, 1e-3, 1e100):
        weighted = HebbianDescentRegressor(batch_size=8, **settings).fit(X, t, sample_weight=factor * weights)
        assert weighted.weight_seen_ == pytest.approx(factor * weights.sum())
        for name in ("weights_", "bias_", "offset_", "scale_", "mean_squares_"):
            found, other = getattr(weighted, name), getattr(expected, name)
            np.testing.assert_allclose(found, other, rtol=1e-12, err_msg=name)
