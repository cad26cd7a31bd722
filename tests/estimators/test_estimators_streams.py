"""Streams: River's evaluation, and ten million updates."""

import tracemalloc

import numpy as np
import pytest
from river import compat, datasets, evaluate, metrics, preprocessing
from sklearn.linear_model import SGDClassifier

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor


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


def test_ten_million_updates_follow_a_drifting_target():
    """Memory is constant, numbers stay finite, and the error late in the stream is that of its beginning."""
    rng = np.random.default_rng(0)
    n_blocks, block = 100, 100_000
    truth = rng.normal(size=(100, 10)) / 10
    inputs = rng.random((block, 100)) + 1
    regressor = HebbianDescentRegressor()
    errors, memory = [], []
    tracemalloc.start()
    for _ in range(n_blocks):
        truth += rng.normal(scale=0.02, size=truth.shape)
        targets = inputs @ truth
        regressor.partial_fit(inputs, targets)
        errors.append(np.abs(regressor.predict(inputs[-1000:]) - targets[-1000:]).mean())
        memory.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.reset_peak()
    tracemalloc.stop()
    assert regressor.n_samples_seen_ == n_blocks * block
    assert np.isfinite(regressor.coef_).all()
    assert np.isfinite(regressor.bias_).all()
    assert max(errors[-10:]) < 2 * max(errors[:10])
    assert max(errors) < 1e-3 * np.abs(targets).mean()
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
