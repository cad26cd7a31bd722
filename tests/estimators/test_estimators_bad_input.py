"""What cannot be done is refused in a sentence that helps."""

import numpy as np
import pytest

from hebbian_descent import (
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
)

KINDS = [HebbianDescentClassifier, HebbianDescentRegressor, HebbianDescentAutoencoder]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rule": "hebbian_decent"}, "Did you mean 'hebbian_descent'"),
        ({"activation": "sigmiod"}, "Did you mean 'sigmoid'"),
        ({"error": "differance"}, "Did you mean 'difference'"),
        ({"learning_rate": "automatic"}, "must be a number or \"auto\". Got 'automatic'"),
        ({"learning_rate": -1}, "at least 0"),
        ({"weight_decay": 3}, "at most 2"),
        ({"centering": "means"}, "Did you mean 'mean'"),
        ({"shift": 2}, "at most 1"),
        ({"epochs": 0}, "at least 1"),
        ({"batch_size": 0}, "at least 1"),
        ({"shuffle": "no"}, "The shuffle must be True or False. Got 'no'"),
    ],
)
def test_parameters(kind, settings, sentence, patterns):
    inputs, labels, _ = patterns
    for method in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=sentence):
            getattr(kind(**settings), method)(inputs, labels)


def test_initial_weights(patterns):
    with pytest.raises(ValueError, match="Did you mean 'zeros'"):
        HebbianDescentRegressor(initial_weights="zero").fit(*patterns[:2])


@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
def test_what_needs_the_whole_data_says_so_in_a_stream(kind, patterns):
    inputs, labels, _ = patterns
    for settings in ({"centering": "mean"}, {"rule": "covariance", "centering": None}):
        assert not hasattr(kind(**settings), "partial_fit")
        with pytest.raises(AttributeError, match="whole data, which partial_fit does not have"):
            kind(**settings).fit(inputs, labels).partial_fit(inputs, labels)


@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones(3), "must have the shape"),
        (-np.ones(60), "must not be negative"),
        (np.full(60, np.nan), "NaN"),
        (np.full(60, 1e155), r"must be at most 1\.34078e\+154\. Got 1e\+155"),
    ],
)
def test_weights_of_samples(kind, weights, sentence, patterns):
    inputs, labels, _ = patterns
    with pytest.raises(ValueError, match=sentence):
        kind().fit(inputs, labels, sample_weight=weights)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_sample_that_is_not_finite_changes_nothing(kind, value, patterns):
    inputs, labels, _ = patterns
    estimator = kind(random_state=0).partial_fit(inputs, labels)
    before = {name: np.copy(array) for name, array in estimator._state().items()}
    broken = inputs[:1].copy()
    broken[0, 3] = value
    with pytest.raises(ValueError, match=r"contains NaN|contains infinity"):
        estimator.partial_fit(broken, labels[:1])
    for name, array in estimator._state().items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
@pytest.mark.parametrize("centering", ["mean", "moving", None])
@pytest.mark.parametrize("row", [0, 1, -1])
def test_fitting_samples_of_which_one_is_not_finite_changes_nothing(kind, centering, row, patterns):
    inputs, labels, _ = patterns
    broken = inputs.copy()
    broken[row, 3] = np.nan
    estimator = kind(random_state=0, centering=centering, warm_start=True)
    with pytest.raises(ValueError, match="contains NaN"):
        estimator.fit(broken, labels)
    assert not hasattr(estimator, "coef_")
    estimator.fit(inputs, labels)
    before = {name: np.copy(array) for name, array in estimator._state().items()}
    with pytest.raises(ValueError, match="contains NaN"):
        estimator.fit(broken, labels)
    for name, array in estimator._state().items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("batch_size", [1, 5])
def test_divergence_is_an_error_and_leaves_what_was_learned_before(batch_size, patterns):
    inputs, _, targets = patterns
    for seed in range(20):
        settings = {"epochs": 50, "batch_size": batch_size, "random_state": seed}
        regressor = HebbianDescentRegressor(learning_rate=100.0, **settings)
        limit = r"learning rate 100: \|a\| must stay below 1\.34\d+e\+154"
        with pytest.raises(DivergenceError, match=limit):
            regressor.fit(inputs * 100, targets)
        assert not hasattr(regressor, "coef_")


def test_large_targets_are_no_divergence():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(200, 3))
    targets = 1e9 * inputs[:, 0]
    assert HebbianDescentRegressor(random_state=0).fit(inputs, targets).score(inputs, targets) > 0.999


def test_shapes(patterns):
    inputs, labels, targets = patterns
    regressor = HebbianDescentRegressor().partial_fit(inputs, targets)
    with pytest.raises(ValueError, match=r"The targets must have 2 columns\. Got 1"):
        regressor.partial_fit(inputs, labels)
    encoder = HebbianDescentAutoencoder(n_hidden=2).fit(inputs)
    with pytest.raises(ValueError, match="must have 2 columns"):
        encoder.inverse_transform(inputs)


def test_probabilities_only_where_outputs_are_some(patterns):
    inputs, labels, _ = patterns
    assert not hasattr(HebbianDescentClassifier(activation="linear"), "predict_proba")
    assert not hasattr(HebbianDescentClassifier(activation="step"), "predict_log_proba")
    sigmoid = HebbianDescentClassifier(activation="sigmoid").fit(inputs, labels)
    assert (sigmoid.predict_proba(inputs).argmax(axis=1) == sigmoid.predict(inputs)).all()


@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("n_before", [0, 30])
def test_a_number_that_is_not_finite_late_in_a_stream_changes_nothing(kind, wrong, n_before, patterns):
    """Neither weights nor offset nor the classes that came before it."""
    inputs, labels, _ = patterns
    estimator, twin = kind(), kind()
    if n_before:
        estimator.partial_fit(inputs[:n_before], labels[:n_before] % 2)
        twin.partial_fit(inputs[:n_before], labels[:n_before] % 2)
    stream = np.tile(inputs, (5, 1))
    stream[-2, 1] = wrong
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        estimator.partial_fit(stream, np.tile(labels, 5))
    assert hasattr(estimator, "coef_") == bool(n_before)
    for each in (estimator, twin):
        each.partial_fit(inputs, labels)
    for name in ("coef_", "bias_", "offset_"):
        np.testing.assert_array_equal(getattr(estimator, name), getattr(twin, name))
    assert estimator.n_samples_seen_ == twin.n_samples_seen_


@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_fit_refuses_what_is_not_finite_and_stays_as_it_was(kind, wrong, patterns):
    inputs, labels, _ = patterns
    spoiled = inputs.copy()
    spoiled[7, 2] = wrong
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        kind().fit(spoiled, labels)
    estimator = kind(warm_start=True, epochs=1).fit(inputs, labels % 2)
    before = estimator.coef_.copy()
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        estimator.fit(spoiled, labels)
    np.testing.assert_array_equal(estimator.coef_, before)


@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
def test_a_stream_that_diverges_says_so(kind, patterns):
    inputs, labels, _ = patterns
    with pytest.raises(DivergenceError):
        kind(activation="linear", learning_rate=1e6).partial_fit(np.tile(inputs, (5, 1)), np.tile(labels, 5))


def test_labels_beside_those_announced_are_refused():
    X, y = np.eye(4), [0, 1, 2, 0]
    with pytest.raises(ValueError, match=r"among the classes that were announced .* Got 2: add it"):
        HebbianDescentClassifier().partial_fit(X, y, classes=[0, 1])
    assert HebbianDescentClassifier().partial_fit(X, y).classes_.tolist() == [0, 1, 2]


def test_labels_that_are_objects_stay_objects():
    X, y = np.eye(4), np.array(["a", "b", "a", "c"], dtype=object)
    for classifier in (HebbianDescentClassifier().fit(X, y), HebbianDescentClassifier().partial_fit(X, y)):
        assert classifier.classes_.dtype == classifier.predict(X).dtype == object


def test_a_rule_without_an_error_term_says_so():
    assert "the error term is not used" in HebbianDescentClassifier(rule="hebb").describe()
    assert "error term" not in HebbianDescentClassifier().describe()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [slice(None), slice(1)])
def test_what_a_mask_hides_is_not_learned(kind, rows, patterns):
    inputs, labels, _ = patterns
    inputs, labels = inputs[rows], labels[rows].astype(float)
    estimator = kind(random_state=0).partial_fit(*patterns[:2])
    takes_targets = kind is not HebbianDescentAutoencoder
    calls = [(method, "X", masked(inputs), labels) for method in ("fit", "partial_fit", "score")]
    calls += [(method, "X", [masked(row) for row in inputs], labels) for method in ("fit", "partial_fit")]
    calls += [(method, "y", inputs, masked(labels)) for method in ("fit", "partial_fit") if takes_targets]
    for method, name, *arguments in calls:
        with pytest.raises(TypeError, match=f"The {name} must"):
            getattr(estimator, method)(*arguments)
    with pytest.raises(TypeError, match="sample_weight"):
        estimator.fit(inputs, labels, sample_weight=masked(np.ones(len(inputs))))
    assert estimator.n_samples_seen_ == len(patterns[0])


def masked(values):
    return np.ma.masked_array(values, mask=np.arange(np.size(values)).reshape(np.shape(values)) == 0)
