"""Fits that end by themselves, report their progress, and can be interrupted."""

import re

import numpy as np
import pytest
from same_bits import assert_same_bits
from scipy.special import expit, log_softmax
from sklearn.datasets import load_digits

from hebbian_descent import (
    Activation,
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    load,
)
from hebbian_descent.estimators import base, epochs

X, Y = load_digits(return_X_y=True)
X, Y = X[:400], Y[:400]
NOISY = X @ np.random.default_rng(0).normal(size=64) + np.random.default_rng(1).normal(scale=20, size=400)
KINDS = [(HebbianDescentClassifier, Y), (HebbianDescentRegressor, NOISY)]


def fitted(kind, targets, **settings):
    return kind(random_state=0, **settings).fit(X, targets)


@pytest.mark.parametrize(("kind", "targets"), KINDS)
def test_it_ends_after_so_many_epochs_that_are_no_better(kind, targets):
    stopped = fitted(kind, targets, max_epochs=500, n_iter_no_change=3, tol=0.01)
    losses = stopped.loss_curve_
    assert 4 <= stopped.n_iter_ == stopped.n_epochs_ == len(losses) < 500
    lowest, n_without = np.inf, 0
    for number, loss in enumerate(losses, start=1):
        n_without = 0 if loss < lowest - 0.01 * losses[0] else n_without + 1
        lowest = loss if n_without == 0 else lowest
        assert (n_without == 3) == (number == len(losses))


@pytest.mark.parametrize(("kind", "targets"), KINDS)
def test_it_is_the_same_as_that_many_epochs(kind, targets):
    stopped = fitted(kind, targets, max_epochs=50)
    plain = fitted(kind, targets, epochs=stopped.n_iter_)
    assert not hasattr(plain, "loss_curve_")
    np.testing.assert_array_equal(stopped.coef_, plain.coef_)


def test_the_loss_is_that_of_the_layer_that_predicts():
    classifier = fitted(HebbianDescentClassifier, Y, max_epochs=3)
    log_probabilities = log_softmax(X @ classifier.coef_.T + classifier.intercept_, axis=1)
    assert classifier.loss_curve_[-1] == pytest.approx(-log_probabilities[np.arange(400), Y].mean())
    weights = np.linspace(0.1, 3, 400)
    regressor = HebbianDescentRegressor(max_epochs=3).fit(X, NOISY, sample_weight=weights)
    expected = np.average((regressor.predict(X) - NOISY) ** 2 / 2, weights=weights)
    assert regressor.loss_curve_[-1] == pytest.approx(expected)


def test_what_has_no_matching_loss_is_measured_by_squares():
    swish = Activation("swish", lambda a: a * expit(a))
    for activation in (swish, "sigmoid"):  # which cannot reach the targets
        regressor = fitted(HebbianDescentRegressor, NOISY, activation=activation, max_epochs=2)
        expected = ((regressor.predict(X) - NOISY) ** 2 / 2).mean()
        assert regressor.loss_curve_[-1] == pytest.approx(expected)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_scale_of_targets_does_not_matter(scale):
    one = fitted(HebbianDescentRegressor, NOISY, max_epochs=100)
    other = fitted(HebbianDescentRegressor, NOISY * scale, max_epochs=100)
    assert one.n_iter_ == other.n_iter_


@pytest.mark.parametrize(("kind", "targets"), KINDS)
def test_early_stopping_keeps_the_best_epoch(kind, targets, monkeypatch):
    monkeypatch.setattr(epochs.MeanLoss, "__call__", lambda self, activity: next(losses))
    losses = iter([5.0, 3.0, 4.0, 4.0, 4.0])
    settings = {"early_stopping": True, "n_iter_no_change": 3}
    stopped = fitted(kind, targets, max_epochs=50, **settings)
    assert stopped.loss_curve_.tolist() == [5, 3, 4, 4, 4]
    assert (stopped.n_iter_, stopped.n_epochs_) == (5, 2)
    losses = iter([5.0, 3.0])
    best = fitted(kind, targets, max_epochs=2, **settings)
    np.testing.assert_array_equal(stopped.coef_, best.coef_)
    assert stopped.n_samples_seen_ == best.n_samples_seen_ == 2 * 360


def test_samples_that_are_held_out_are_not_learned():
    regressor = fitted(HebbianDescentRegressor, NOISY, max_epochs=5, early_stopping=True)
    held_out = np.random.default_rng((0, 400, 40)).permutation(400)[:40]
    rest = np.setdiff1d(np.arange(400), held_out)
    plain = HebbianDescentRegressor(random_state=0, epochs=regressor.n_epochs_).fit(X[rest], NOISY[rest])
    np.testing.assert_array_equal(regressor.coef_, plain.coef_)
    loss = ((regressor.predict(X[held_out]) - NOISY[held_out]) ** 2 / 2).mean()
    assert regressor.loss_curve_.min() == pytest.approx(loss)


@pytest.mark.parametrize("settings", [{"max_epochs": 3}, {"epochs": 3}])
def test_verbose_writes_a_line_per_epoch_to_standard_error(settings, capsys):
    fitted(HebbianDescentClassifier, Y, verbose=True, **settings)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 3
    assert re.fullmatch(r"epoch 3: loss 0\.\d+, \d+\.\d s", lines[2])


def test_a_curve_comes_back_from_a_file_and_stays_in_a_stream(tmp_path):
    classifier = fitted(HebbianDescentClassifier, Y, max_epochs=3)
    classifier.save(tmp_path / "model")
    assert_same_bits(load(tmp_path / "model"), classifier)
    assert classifier.partial_fit(X, Y).n_iter_ == 3
    classifier.set_params(warm_start=True, max_epochs=None, epochs=1).fit(X, Y)
    assert not hasattr(classifier, "loss_curve_")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"max_epochs": 0}, "max_epochs must be at least 1"),
        ({"max_epochs": 5, "tol": -1}, "tol must be at least 0"),
        ({"max_epochs": 5, "n_iter_no_change": 0}, "n_iter_no_change must be at least 1"),
        ({"early_stopping": True}, "early_stopping needs max_epochs"),
        ({"max_epochs": 5, "early_stopping": "no"}, "early_stopping must be True or False. Got 'no'"),
        ({"validation_fraction": 1.0}, "validation_fraction must be below 1. Got 1.0"),
        ({"validation_fraction": 0}, "validation_fraction must be above 0. Got 0"),
        ({"verbose": "yes"}, "verbose must be True or False. Got 'yes'"),
    ],
)
@pytest.mark.parametrize(("kind", "targets"), KINDS)
def test_parameters(kind, targets, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        fitted(kind, targets, **settings)


class InterruptAfter:
    """An activation that raises after a number of uses."""

    def __init__(self, n_uses, error=KeyboardInterrupt):
        self.left, self.error = n_uses, error

    def __call__(self, a):
        self.left -= 1
        if self.left < 0:
            raise self.error
        return 1 / (1 + np.exp(-a))


def units(n_uses, error=KeyboardInterrupt):
    return Activation("mine", InterruptAfter(n_uses, error))


@pytest.mark.parametrize(
    ("kind", "targets"), [*KINDS, (HebbianDescentAutoencoder, None)], ids=["classify", "regress", "encode"]
)
def test_an_interrupted_fit_keeps_whole_epochs(kind, targets):
    settings = {"batch_size": 100, "random_state": 0, "epochs": 10}
    learner = kind(activation=units(4 * 2 + 1), **settings)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, targets)
    assert (learner.n_epochs_, learner.n_samples_seen_) == (2, 800)
    whole = kind(activation=units(10**6), **{**settings, "epochs": 2}).fit(X, targets)
    assert_same_bits(learner, whole)


@pytest.mark.parametrize(
    ("kind", "targets"), [*KINDS, (HebbianDescentAutoencoder, None)], ids=["classify", "regress", "encode"]
)
def test_an_interrupted_stream_keeps_a_number_of_samples(kind, targets, monkeypatch):
    for module in (base, __import__("hebbian_descent.estimators.autoencoder").estimators.autoencoder):
        monkeypatch.setattr(module, "SLOW_SAMPLES", 32)
    some = lambda n: () if targets is None else (targets[:n],)  # noqa: E731
    learner = kind(activation=units(100), random_state=0)
    with pytest.raises(KeyboardInterrupt):
        learner.partial_fit(X, *some(400))
    n_learned = learner.n_samples_seen_
    assert 0 < n_learned <= 100
    assert_same_bits(
        learner, kind(activation=units(10**6), random_state=0).partial_fit(X[:n_learned], *some(n_learned))
    )


@pytest.mark.parametrize("error", [MemoryError, DivergenceError(1, None)])
def test_what_fails_leaves_nothing_of_whole_epochs(error):
    learner = HebbianDescentRegressor(activation=units(9, error), batch_size=100, random_state=0)
    with pytest.raises(type(error) if isinstance(error, Exception) else error):
        learner.fit(X, NOISY)
    assert not hasattr(learner, "n_epochs_")
