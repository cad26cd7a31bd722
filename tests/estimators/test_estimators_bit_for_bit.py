"""Calls that may be split give the same bits when they are split."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from same_bits import assert_same_bits

from hebbian_descent import (
    ACTIVATIONS,
    Activation,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    get_activation,
)
from hebbian_descent.storage.models import pack, restored, unpack
from tests.plain import PLAIN

OWN = Activation("own", lambda a: get_activation("sigmoid")(a))


def in_words(settings):
    """Return a name that is the same in every process."""
    return (
        ",".join(f"{name}={getattr(value, 'name', value)}" for name, value in settings.items()) or "default"
    )


SETTINGS = [
    {},
    PLAIN,
    {"average": 0.05, "shift": 0.1},
    {"centering": "moving", "offset_start": 0.5, "learning_rate": 0.1},
    {"centering": None, "weight_decay": 0.01},
    {"rule": "gradient_descent", "activation": "sigmoid"},
    {"activation": OWN, "weight_decay": 0.01},
    {"batch_size": 16},  # which partial_fit does not look at
]


@pytest.mark.parametrize("settings", SETTINGS, ids=in_words)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_classifier_learns_samples_at_once_as_one_by_one(patterns, settings, dtype):
    inputs, labels, _ = patterns
    inputs = inputs.astype(dtype)
    at_once = HebbianDescentClassifier(random_state=0, **settings).partial_fit(inputs, labels)
    one_by_one = HebbianDescentClassifier(random_state=0, **settings)
    in_parts = HebbianDescentClassifier(random_state=0, **settings)
    for row in range(len(inputs)):
        one_by_one.partial_fit(inputs[row : row + 1], labels[row : row + 1])
    for rows in (slice(0, 1), slice(1, 40), slice(40, 60)):
        in_parts.partial_fit(inputs[rows].tolist() if dtype == np.float64 else inputs[rows], labels[rows])
    assert_same_bits(at_once, one_by_one)
    assert_same_bits(at_once, in_parts)


def through_a_file(estimator):
    return restored(unpack(pack(type(estimator).__name__, *estimator._contents())))


INTERLUDES = [
    lambda estimator: estimator,
    lambda estimator: pickle.loads(pickle.dumps(estimator)),
    through_a_file,
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
@pytest.mark.parametrize(
    "settings",
    [{}, {"average": 0.05, "shift": 0.2, "weight_decay": 0.01}, {"error": "saturating"}],
    ids=in_words,
)
@examples(max_examples=25)
@given(
    cuts=st.dictionaries(st.integers(1, 59), st.sampled_from(INTERLUDES)),
    weights=st.lists(st.sampled_from([0.0, 0.3, 1.0, 1.0, 2.5, 20.0]), min_size=59, max_size=59),
    first_places=st.tuples(st.integers(0, 59), st.integers(0, 59)),
)
def test_however_a_weighted_stream_is_cut(kind, settings, dtype, cuts, weights, first_places):
    """With scales, averages, weights and classes that come late; estimators may be stored in between."""
    rng = np.random.default_rng(0)
    inputs = (rng.normal(2, 1, (60, 7)) * (rng.random((60, 7)) < 0.7) * 10.0 ** np.arange(-3, 4)).astype(
        dtype
    )
    place = np.arange(60)
    aims = rng.integers(0, 1 + (place >= first_places[0]) + (place >= first_places[1]))
    weights = np.array([1.0, *weights])
    whole = kind(random_state=0, **settings).partial_fit(inputs, aims, sample_weight=weights)
    parts, ends = kind(random_state=0, **settings), [*sorted(cuts), 60]
    for start, end in zip([0, *ends], ends, strict=False):
        rows = slice(start, end)
        parts.partial_fit(inputs[rows], aims[rows], sample_weight=weights[rows])
        if end in cuts:
            parts = cuts[end](parts)
    assert_same_bits(whole, parts)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_regressor_learns_samples_at_once_as_one_by_one(patterns, activation):
    inputs, _, targets = patterns
    at_once = HebbianDescentRegressor(activation=activation, random_state=0).partial_fit(inputs, targets)
    one_by_one = HebbianDescentRegressor(activation=activation, random_state=0)
    for row in range(len(inputs)):
        one_by_one.partial_fit(inputs[row : row + 1], targets[row : row + 1])
    assert_same_bits(at_once, one_by_one)


@pytest.mark.parametrize("n_outputs", [1, 4, 5, 6, 10, 13])
@pytest.mark.parametrize("n_inputs", [1, 3, 8, 33, 784])
def test_whatever_the_size(n_inputs, n_outputs):
    rng = np.random.default_rng(0)
    inputs, targets = rng.random((20, n_inputs)), rng.random((20, n_outputs))
    at_once = HebbianDescentRegressor(random_state=0).partial_fit(inputs, targets)
    one_by_one = HebbianDescentRegressor(random_state=0)
    for row in range(len(inputs)):
        one_by_one.partial_fit(inputs[row : row + 1], targets[row : row + 1])
    assert_same_bits(at_once, one_by_one)


@pytest.mark.parametrize("announced", [False, True])
def test_a_class_that_is_first_seen_late(announced):
    rng = np.random.default_rng(1)
    inputs = rng.random((50, 4))
    labels = np.array(["b"] * 10 + ["longer name", "b"] * 10 + ["a", "b"] * 10)
    at_once = HebbianDescentClassifier(random_state=0).partial_fit(inputs, labels)
    one_by_one = HebbianDescentClassifier(random_state=0)
    if announced:
        one_by_one.partial_fit(inputs[:1], labels[:1], classes=["b"])
    for row in range(int(announced), 50):
        one_by_one.partial_fit(inputs[row : row + 1], labels[row : row + 1])
    assert_same_bits(at_once, one_by_one)
    assert at_once.classes_.tolist() == ["a", "b", "longer name"]
    before = HebbianDescentClassifier(random_state=0).partial_fit(inputs[:30], labels[:30])
    after = HebbianDescentClassifier(random_state=0).partial_fit(inputs[:30], labels[:30])
    after.partial_fit(inputs[30:31], labels[30:31], sample_weight=[0.0])
    assert_same_bits(before, after)
    after.partial_fit(inputs[30:31], labels[30:31], sample_weight=[1e-300])
    assert after.classes_.tolist() == ["a", "b", "longer name"]
    np.testing.assert_array_equal(after.weights_[1:], before.weights_)
    assert np.abs(after.weights_[0]).max() < 1e-290


def test_an_autoencoder_learns_samples_at_once_as_one_by_one(patterns):
    inputs = patterns[0]
    at_once = HebbianDescentAutoencoder(n_hidden=3, random_state=0).partial_fit(inputs)
    one_by_one = HebbianDescentAutoencoder(n_hidden=3, random_state=0)
    for row in range(len(inputs)):
        one_by_one.partial_fit(inputs[row : row + 1])
    assert_same_bits(at_once, one_by_one)


@pytest.mark.parametrize(
    "settings", [{}, {"batch_size": 7}, {"centering": "moving"}, {"weight_decay": 0.01}], ids=in_words
)
@pytest.mark.parametrize(
    "kind", [HebbianDescentClassifier, HebbianDescentRegressor, HebbianDescentAutoencoder]
)
def test_epochs_can_be_continued(patterns, settings, kind):
    inputs, labels, _ = patterns
    whole = kind(epochs=5, random_state=3, **settings).fit(inputs, labels)
    parts = kind(epochs=2, random_state=3, warm_start=True, **settings).fit(inputs, labels)
    parts.set_params(epochs=3).fit(inputs, labels)
    assert_same_bits(whole, parts)
    again = kind(epochs=5, random_state=3, **settings).fit(inputs[:9], labels[:9]).fit(inputs, labels)
    assert_same_bits(whole, again)


@pytest.mark.parametrize("settings", [{}, {"batch_size": 7}, {"activation": OWN}], ids=in_words)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_sample_of_weight_zero_is_as_if_it_were_not_there(patterns, settings, method):
    inputs, labels, targets = patterns
    weights = np.random.default_rng(0).integers(0, 3, size=len(inputs))
    there = weights > 0
    for kind, aims in ((HebbianDescentClassifier, labels), (HebbianDescentRegressor, targets)):
        weighted, without = kind(random_state=0, **settings), kind(random_state=0, **settings)
        getattr(weighted, method)(inputs, aims, sample_weight=weights)
        getattr(without, method)(inputs[there], aims[there], sample_weight=weights[there])
        assert_same_bits(weighted, without)


def test_a_weight_of_up_to_1_scales_the_step_of_a_sample(patterns):
    inputs, _, targets = patterns
    weights = np.linspace(0.1, 1, len(inputs))
    weighted = HebbianDescentRegressor(learning_rate=0.1, centering=None, **PLAIN)
    weighted.partial_fit(inputs, targets, sample_weight=weights)
    scaled = HebbianDescentRegressor(centering=None, **PLAIN)
    for row, weight in enumerate(weights):
        scaled.set_params(learning_rate=0.1 * weight)
        scaled.partial_fit(inputs[row : row + 1], targets[row : row + 1])
    np.testing.assert_allclose(weighted.weights_, scaled.weights_, rtol=1e-12, atol=1e-14)


def test_state_can_be_taken_over(patterns):
    inputs, labels, targets = patterns
    for kind, aims in (
        (HebbianDescentClassifier, labels),
        (HebbianDescentRegressor, targets),
        (HebbianDescentAutoencoder, None),
    ):
        whole = kind(random_state=0).partial_fit(inputs, aims)
        first = kind(random_state=0).partial_fit(inputs[:30], None if aims is None else aims[:30])
        second = kind(**first.get_params())
        second._restore(first._state())
        second.partial_fit(inputs[30:], None if aims is None else aims[30:])
        assert_same_bits(whole, second)
