"""Streams: River's evaluation, and ten million updates."""

import tracemalloc

import numpy as np
import pytest
from river import compat, datasets, evaluate, metrics, preprocessing
from sklearn.linear_model import SGDClassifier

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor
from hebbian_descent.native import choice
from hebbian_descent.thread_pools import one_thread


def test_river_evaluates_a_classifier():
    model = preprocessing.StandardScaler() | compat.convert_sklearn_to_river(
        HebbianDescentClassifier(), classes=[False, True]
    )
    accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert accuracy.get() > 0.85


def test_river_evaluates_a_regressor():
    model = preprocessing.StandardScaler() | compat.convert_sklearn_to_river(HebbianDescentRegressor())
    error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    assert error.get() < 3


@pytest.mark.long
def test_ten_million_updates_follow_a_drifting_target():
    """Memory is constant, numbers stay finite, and every one of a hundred drifts is followed to the end.

    This is the layer that learns, not its average. Targets are noisy: without noise the error would be that
    of rounding, which says nothing. What noise of standard deviation σ leaves of a target that was followed
    to the end has σ√(κ/(2 − κ)), and κ is ½ here.
    """
    rng = np.random.default_rng(0)
    n_blocks, block = 100, 100_000 if choice().core else 2_000  # the plain loop would take minutes
    truth = rng.normal(size=(32, 10)) / 10
    inputs = rng.random((block, 32)) + 1
    noise = rng.normal(scale=0.1, size=(block, 10))
    regressor = HebbianDescentRegressor(average=False).partial_fit(inputs[:1000], (inputs @ truth)[:1000])
    before, after, memory = [], [], []
    tracemalloc.start()
    with one_thread():  # of BLAS, which others would only wait for
        for _ in range(n_blocks):
            truth += rng.normal(scale=0.02, size=truth.shape)
            targets, asked = inputs @ truth, slice(-1000, None)
            before.append(np.abs(regressor.predict(inputs[asked]) - targets[asked]).mean())
            regressor.partial_fit(inputs, targets + noise)
            after.append(np.abs(regressor.predict(inputs[asked]) - targets[asked]).mean())
            memory.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert regressor.n_samples_seen_ == n_blocks * block + 1000
    assert np.isfinite(regressor.coef_).all()
    assert np.isfinite(regressor.bias_).all()
    assert (np.array(after) < np.array(before)).all()
    np.testing.assert_allclose(after, 0.1 * np.sqrt(1 / 3) * np.sqrt(2 / np.pi), rtol=0.1)
    assert max(memory[2:]) - min(memory[2:]) < 1_000_000


def test_the_classes_of_a_stream_need_not_be_announced():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(300, 5))
    labels = (inputs[:, 0] > 0).astype(int)
    with pytest.raises(ValueError, match="classes must be passed"):
        SGDClassifier().partial_fit(inputs[:1], labels[:1])
    classifier = HebbianDescentClassifier()
    for row in range(300):
        classifier.partial_fit(inputs[row : row + 1], labels[row : row + 1])
    assert classifier.score(inputs, labels) > 0.9


def test_many_classes_take_no_matrix_of_codes():
    """20,000 examples of 2,000 classes would need 320 MB for rows of 0 and 1."""
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 5)), rng.integers(0, 2_000, 20_000)
    classifier = HebbianDescentClassifier(epochs=1)
    tracemalloc.start()
    classifier.fit(X, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10 * X.nbytes


def test_a_row_is_predicted_as_among_many():
    """An array that needs no checks takes a shorter way."""
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 7)), np.arange(60) % 3
    classifier = HebbianDescentClassifier(epochs=2, random_state=0).fit(X, y)
    together = classifier.predict(X.tolist())
    assert [classifier.predict(X[k : k + 1])[0] for k in range(60)] == together.tolist()
    np.testing.assert_allclose(classifier.predict_proba(X[:1]), classifier.predict_proba(X)[:1], rtol=1e-12)
    for wrong in (np.full((1, 7), np.nan), np.ones((1, 6)), np.ones((0, 7)), np.ones(7), np.array(1.0)):
        with pytest.raises(ValueError, match=r"NaN|features|minimum|2D"):
            classifier.predict(wrong)
        with pytest.raises(ValueError, match=r"NaN|features|minimum|2D"):
            classifier.partial_fit(wrong, [0])


@pytest.mark.parametrize("average", [True, "auto"])
def test_means_of_long_streams_in_single_precision_do_not_freeze(average):
    """Each of n samples moves a mean over all of them by 1/n, which is rounded away at 1000 in float32."""
    rng = np.random.default_rng(0)
    learned = {dtype: HebbianDescentRegressor(shift=0, average=average) for dtype in (np.float32, np.float64)}
    for _ in range(8):
        X = rng.normal(loc=[1000, 10], size=(25_000, 2))
        for dtype, regressor in learned.items():
            regressor.partial_fit(X.astype(dtype), X[:, 0].astype(dtype) / 1000)
    single, double = learned.values()
    np.testing.assert_allclose(single.offset_, double.offset_, rtol=1e-9)
    np.testing.assert_allclose(single.scale_, double.scale_, rtol=1e-6)
