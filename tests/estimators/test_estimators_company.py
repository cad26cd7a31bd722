"""Estimators work where scikit-learn's own would, and take what users have."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, make_regression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hebbian_descent import (
    Activation,
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
)

KINDS = [HebbianDescentClassifier, HebbianDescentRegressor, HebbianDescentAutoencoder]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


def test_a_pipeline_is_searched(digits):
    X, y = digits
    encoder = HebbianDescentAutoencoder(n_hidden=30, random_state=0)
    pipeline = make_pipeline(StandardScaler(), encoder, HebbianDescentClassifier(random_state=0))
    grid = {"hebbiandescentclassifier__weight_decay": [0.0, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_ == {"hebbiandescentclassifier__weight_decay": 0.0}
    assert search.best_score_ > 0.75


def test_scores_in_parallel_are_those_in_sequence(digits):
    X, y = digits
    classifier = HebbianDescentClassifier(random_state=0)
    alone = cross_val_score(classifier, X, y, cv=3)
    assert (alone > 0.8).all()
    np.testing.assert_array_equal(alone, cross_val_score(classifier, X, y, cv=3, n_jobs=2))
    with joblib.parallel_backend("threading", n_jobs=2):
        np.testing.assert_array_equal(alone, cross_val_score(classifier, X, y, cv=3, n_jobs=2))


def test_divergence_in_another_process_is_told_here(digits):
    X, _ = digits
    regressor = HebbianDescentRegressor(learning_rate=100.0)
    with pytest.raises(DivergenceError, match="learning rate 100") as caught:
        cross_val_score(regressor, X, X, cv=2, n_jobs=2, error_score="raise")
    assert caught.value.learning_rate == 100
    assert caught.value.step > 0


def test_several_outputs():
    X, Y = make_regression(100, 8, n_targets=3, noise=1, random_state=0)
    vectors = HebbianDescentRegressor(random_state=0).fit(X, Y)
    singles = MultiOutputRegressor(HebbianDescentRegressor(random_state=0)).fit(X, Y)
    assert vectors.score(X, Y) > 0.95
    np.testing.assert_allclose(vectors.predict(X), singles.predict(X), rtol=1e-9)
    labels = (Y > 0).astype(int)
    classifier = MultiOutputClassifier(HebbianDescentClassifier(random_state=0)).fit(X, labels)
    assert classifier.predict(X).shape == (100, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_clones_and_pickles(kind, patterns):
    inputs, labels, _ = patterns
    estimator = kind(random_state=0).partial_fit(inputs, labels)
    assert not hasattr(clone(estimator), "n_samples_seen_")
    again = pickle.loads(pickle.dumps(estimator)).partial_fit(inputs, labels)
    estimator.partial_fit(inputs, labels)
    for name, value in estimator._state().items():
        np.testing.assert_array_equal(value, again._state()[name])


def test_frames_in_and_frames_out(patterns):
    inputs, labels, _ = patterns
    names = [f"column {number}" for number in range(inputs.shape[1])]
    expected = HebbianDescentClassifier(random_state=0).fit(inputs, labels)
    for frame in (pd.DataFrame(inputs, columns=names), pl.DataFrame(inputs, schema=names)):
        series = pd.Series(labels) if isinstance(frame, pd.DataFrame) else pl.Series(labels)
        classifier = HebbianDescentClassifier(random_state=0).fit(frame, series)
        assert classifier.feature_names_in_.tolist() == names
        np.testing.assert_array_equal(classifier.coef_, expected.coef_)
        np.testing.assert_array_equal(classifier.predict(frame), expected.predict(inputs))
    encoder = HebbianDescentAutoencoder(n_hidden=2, random_state=0).set_output(transform="pandas")
    hidden = encoder.fit_transform(pd.DataFrame(inputs, columns=names))
    assert hidden.columns.tolist() == ["hebbiandescentautoencoder0", "hebbiandescentautoencoder1"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch_size", [1, 7])
def test_single_precision_stays_single(kind, batch_size, patterns):
    inputs, labels, _ = patterns
    for centering in ("auto", "moving"):
        estimator = kind(random_state=0, centering=centering, batch_size=batch_size)
        estimator.fit(inputs.astype(np.float32), labels).partial_fit(inputs, labels)
        arrays = {
            name: value.dtype
            for name, value in estimator._state().items()
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        }
        assert set(arrays.values()) == {np.dtype(np.float32)}, arrays
        method = estimator.transform if kind is HebbianDescentAutoencoder else estimator.predict
        assert kind is HebbianDescentClassifier or method(inputs).dtype == np.float32


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_that_cannot_be_written_or_lie_in_a_file(kind, patterns, tmp_path):
    inputs, labels, _ = patterns
    np.save(tmp_path / "inputs.npy", inputs)
    locked = inputs.copy()
    locked.flags.writeable = False
    expected = kind(random_state=0).partial_fit(inputs, labels)._state()
    in_file = np.load(tmp_path / "inputs.npy", mmap_mode="r")
    for array in (locked, in_file, np.asfortranarray(inputs), inputs[:, ::-1][:, ::-1]):
        state = kind(random_state=0).partial_fit(array, labels)._state()
        for name, value in expected.items():
            np.testing.assert_array_equal(value, state[name])


def test_labels_may_be_strings(patterns):
    inputs, labels, _ = patterns
    names = np.array(["red", "green", "blue"])[labels]
    classifier = HebbianDescentClassifier(random_state=0).fit(inputs, names)
    assert classifier.classes_.tolist() == ["blue", "green", "red"]
    assert classifier.score(inputs, names) > 0.9
    np.testing.assert_allclose(classifier.predict_proba(inputs).sum(axis=1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_call_may_bring_one_sample(kind):
    estimator = kind(random_state=0).partial_fit([[0.0, 1.0, 2.0]], [1])
    assert estimator.n_samples_seen_ == 1
    np.testing.assert_array_equal(estimator.offset_, [0, 1, 2])


def test_the_moving_offset_is_the_running_mean_until_the_shift_takes_over():
    rng = np.random.default_rng(0)
    inputs, targets = rng.random((50, 3)), rng.random(50)
    regressor = HebbianDescentRegressor(shift=0.1).partial_fit(inputs[:10], targets[:10])
    np.testing.assert_allclose(regressor.offset_, inputs[:10].mean(axis=0), rtol=1e-12)
    moving = regressor.offset_.copy()
    for x in inputs[10:]:
        moving = 0.9 * moving + 0.1 * x
    regressor.partial_fit(inputs[10:], targets[10:])
    np.testing.assert_allclose(regressor.offset_, moving, rtol=1e-12)


def test_ones_own_activation_and_error():
    own = Activation("cubic", lambda a: a**3 + a)
    X, y = make_regression(80, 3, random_state=0)
    regressor = HebbianDescentRegressor(
        activation=own, error=lambda t, h: np.sign(h - t), learning_rate=0.003, random_state=0
    )
    assert "cubic" in regressor.fit(X, y / 50).describe()
    assert regressor.score(X, y / 50) > 0.5


def test_html_and_description():
    classifier = HebbianDescentClassifier(centering="moving")
    assert "HebbianDescentClassifier" in classifier._repr_html_()
    assert classifier.describe() == (
        "softmax regression by online gradient descent on the cross entropy; moving centering; inputs scaled "
        "by their spread; automatic learning rate; predictions from weights averaged over the last quarter "
        "of all samples seen, in partial_fit at most about the last 333; 10 epochs in fit"
    )
    assert "weight decay 0.1 per step" in HebbianDescentRegressor(weight_decay=0.1).describe()
    assert HebbianDescentAutoencoder().describe().startswith("a tied auto-encoder with sigmoid hidden")
