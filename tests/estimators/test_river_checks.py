"""River's checks, and its pipelines, wrappers and ensembles."""

import numpy as np
import pytest
from river import __version__ as river_version
from river import (
    checks,
    compose,
    datasets,
    ensemble,
    evaluate,
    feature_extraction,
    metrics,
    multiclass,
    preprocessing,
)

from hebbian_descent.river import HebbianDescentClassifier, HebbianDescentRegressor

N_CHECKS = {HebbianDescentClassifier: 62, HebbianDescentRegressor: 27}
"""Of River 0.26; earlier versions have fewer."""
SETTINGS = [{}, {"activation": "sigmoid", "learning_rate": 0.01, "centering": None, "weight_decay": 0.001}]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", N_CHECKS)
def test_all_checks_pass(kind, setting):
    model = kind(**setting)
    found = list(checks.yield_checks(model))
    assert len(found) == N_CHECKS[kind] or (river_version < "0.26" and len(found) >= 16)
    assert model._unit_test_skips() == set()
    for check in found:
        check(model.clone())


def test_a_classifier_behind_a_scaler():
    model = preprocessing.StandardScaler() | HebbianDescentClassifier()
    accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert accuracy.get() > 0.85


def test_probabilities_are_evaluated():
    model = preprocessing.StandardScaler() | HebbianDescentClassifier()
    area = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.ROCAUC())
    assert area.get() > 0.9


def test_a_regressor_behind_a_scaler():
    model = preprocessing.StandardScaler() | HebbianDescentRegressor()
    error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    assert error.get() < 3


def test_words_and_numbers_in_a_union():
    rng = np.random.default_rng(0)
    numbers = compose.SelectType(float) | preprocessing.StandardScaler()
    model = (numbers + (compose.SelectType(str) | preprocessing.OneHotEncoder())) | HebbianDescentClassifier()
    right = 0
    for number in rng.normal(size=300).tolist():
        x = {"number": number, "color": ["red", "green", "blue"][rng.integers(3)]}
        y = x["color"] if number > 0 else "none"
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    assert right > 200


def test_words_of_a_text_that_are_seen_later():
    model = feature_extraction.BagOfWords() | HebbianDescentClassifier()
    texts = ["win money now", "see you at lunch", "money money win", "lunch now", "win a prize", "see you"]
    for text, label in zip(texts * 5, ["spam", "ham"] * 15, strict=True):
        model.learn_one(text, label)
    assert [model.predict_one(text) for text in texts] == ["spam", "ham"] * 3


@pytest.mark.parametrize(
    "model",
    [
        ensemble.BaggingClassifier(HebbianDescentClassifier(), n_models=3, seed=1),
        ensemble.AdaBoostClassifier(HebbianDescentClassifier(), n_models=3, seed=1),
        ensemble.VotingClassifier([HebbianDescentClassifier(), HebbianDescentClassifier(learning_rate=0.1)]),
        multiclass.OneVsRestClassifier(HebbianDescentClassifier()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_ensembles_and_wrappers_of_classifiers(model):
    scaled = preprocessing.StandardScaler() | model
    accuracy = evaluate.progressive_val_score(datasets.ImageSegments().take(800), scaled, metrics.Accuracy())
    assert accuracy.get() > 0.6


def test_bagged_regressors():
    bagged = ensemble.BaggingRegressor(HebbianDescentRegressor(), n_models=3, seed=1)
    model = preprocessing.StandardScaler() | bagged
    error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    assert error.get() < 3


def test_mini_batches_in_a_pipeline():
    pandas = pytest.importorskip("pandas")
    samples = list(datasets.Phishing())
    model = preprocessing.StandardScaler() | HebbianDescentClassifier()
    right = 0
    for start in range(0, len(samples), 50):
        X = pandas.DataFrame([x for x, _ in samples[start : start + 50]])
        y = pandas.Series([y for _, y in samples[start : start + 50]])
        right += int((model.predict_many(X) == y).sum()) if start else 0
        model.learn_many(X, y)
    assert right / len(samples) > 0.8
