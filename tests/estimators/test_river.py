"""River models learn what the scikit-learn estimators learn, to the last bit, while features come and go."""

import copy
import inspect
import pickle
import re
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from river import datasets
from same_bits import assert_same_bits

from hebbian_descent import Activation, estimators, river

PAIRS = {
    "classifier": (river.HebbianDescentClassifier, estimators.HebbianDescentClassifier),
    "regressor": (river.HebbianDescentRegressor, estimators.HebbianDescentRegressor),
}
SETTINGS = {
    "defaults": {},
    "fixed": {"learning_rate": 0.01, "weight_decay": 0.001, "centering": None},
    "start": {"centering": "moving", "shift": 0.05, "offset_start": 0.5},
    "a number": {"centering": 0.25, "error": "saturating"},
    "covariance": {"rule": "covariance", "learning_rate": 0.01},
    "custom": {"activation": Activation("doubled", lambda a: 2 * a), "learning_rate": 0.01},
}
NOT_IN_A_STREAM = {
    *("epochs", "batch_size", "shuffle", "random_state", "warm_start", "initial_weights"),
    *("max_epochs", "tol", "n_iter_no_change", "early_stopping", "validation_fraction", "verbose"),
    "class_weight",  # River's samples have weights of their own
}


def learned(model):
    return model._learned.estimator


def assert_same_model(one, other):
    assert one._learned.columns.names == other._learned.columns.names
    assert_same_bits(learned(one), learned(other))


def columns_that_come_and_go():
    """Frames of numbers with labels of three classes, the last of which comes late."""
    rng = np.random.default_rng(1)
    frames = []
    for names in ("abc", "cbad", "d", "abcdefghijkl", "lkjaz", "abc"):
        X = pd.DataFrame(rng.normal(size=(12, len(names))), columns=list(names))
        labels = rng.integers(0, 2 if len(frames) < 2 else 3, 12)
        frames.append((X, pd.Series(labels)))
    return frames


def rows_of(frames):
    return [pair for X, y in frames for pair in zip(X.to_dict("records"), y.tolist(), strict=True)]


@pytest.mark.parametrize("kind", PAIRS)
def test_parameters_are_those_of_scikit_learn_with_the_same_defaults(kind):
    ours, theirs = (inspect.signature(cls).parameters for cls in PAIRS[kind])
    assert set(theirs) - set(ours) == NOT_IN_A_STREAM & set(theirs)
    assert {name: parameter.default for name, parameter in ours.items()} == {
        name: theirs[name].default for name in ours
    }


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("kind", "stream"),
    [
        ("classifier", datasets.Phishing()),
        ("classifier", datasets.ImageSegments()),
        ("regressor", datasets.TrumpApproval()),
    ],
    ids=["booleans", "words", "numbers"],
)
def test_same_bits_as_scikit_learn(kind, stream, setting):
    stream = list(stream.take(200))
    X, y = np.array([list(x.values()) for x, _ in stream], float), np.array([y for _, y in stream])
    X /= np.abs(X).max(axis=0) + 1  # for fixed learning rates
    samples = [(dict(enumerate(x)), target) for x, target in zip(X.tolist(), y.tolist(), strict=True)]
    make, make_theirs = PAIRS[kind]
    model, theirs = make(**SETTINGS[setting]), make_theirs(**SETTINGS[setting], random_state=0)
    for x, target in samples:
        model.learn_one(x, target)
    theirs.partial_fit(X, y)
    assert_same_bits(learned(model), theirs)
    ours = [model.predict_one(x) for x, _ in samples]
    if kind == "classifier":
        assert ours == theirs.predict(X).tolist()
    else:
        np.testing.assert_allclose(ours, theirs.predict(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_features", [1, 7, 8, 9, 15, 16, 17, 40])
def test_same_bits_for_any_number_of_features(n_features):
    """Compiled loops sum vectors of 8 numbers, and the rest separately."""
    rng = np.random.default_rng(n_features)
    X, y = rng.normal(size=(50, n_features)), rng.integers(0, 3, 50)
    model = river.HebbianDescentClassifier()
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)
    assert_same_bits(learned(model), estimators.HebbianDescentClassifier(random_state=0).partial_fit(X, y))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("kind", PAIRS)
def test_learn_many_is_learn_one_row_by_row(kind, setting):
    one, many = (PAIRS[kind][0](**SETTINGS[setting]) for _ in range(2))
    frames = columns_that_come_and_go()
    for x, y in rows_of(frames):
        one.learn_one(x, y)
    for X, y in frames:
        many.learn_many(X, y)
    assert_same_model(one, many)
    assert learned(one).n_samples_seen_ == 72


@pytest.mark.parametrize("kind", PAIRS)
def test_sample_weights_are_factors_of_the_learning_rate(kind):
    make, make_theirs = PAIRS[kind]
    (X, y), *_ = columns_that_come_and_go()
    weights = np.linspace(0.5, 2, len(X))
    one, many = make(), make()
    for x, target, weight in zip(X.to_dict("records"), y.tolist(), weights.tolist(), strict=True):
        one.learn_one(x, target, w=weight)
    many.learn_many(X, y, w=pd.Series(weights))
    theirs = make_theirs(random_state=0).partial_fit(X.to_numpy(), y, sample_weight=weights)
    assert_same_model(one, many)
    assert_same_bits(learned(one), theirs)


def test_a_feature_has_weight_zero_until_it_is_seen():
    """As if it had been 0 from the beginning, except for the order in which numbers are summed."""
    frames = columns_that_come_and_go()
    model = river.HebbianDescentClassifier()
    for x, y in rows_of(frames):
        model.learn_one(x, y)
    names = model._learned.columns.names
    assert names == tuple("abcdefghijklz")
    dense = np.array([[x.get(name, 0.0) for name in names] for x, _ in rows_of(frames)])
    labels = np.array([y for _, y in rows_of(frames)])
    theirs = estimators.HebbianDescentClassifier().partial_fit(dense, labels)
    np.testing.assert_allclose(learned(model).coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learned(model).offset_, theirs.offset_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", PAIRS)
def test_absent_features_count_as_zero_and_unknown_ones_not_at_all(kind):
    model = PAIRS[kind][0]()
    for x, y in rows_of(columns_that_come_and_go()):
        model.learn_one(x, y)
    names = model._learned.columns.names
    x = {"l": 0.5, "a": -2, ("any", "hashable"): 7.0}
    whole = dict.fromkeys(names, 0) | {"l": 0.5, "a": -2}
    recall = "predict_proba_one" if kind == "classifier" else "predict_one"
    assert getattr(model, recall)(x) == getattr(model, recall)(whole)
    frame = pd.DataFrame([x])
    assert model.predict_many(frame).tolist() == pytest.approx([model.predict_one(x)], rel=1e-12)
    assert model._learned.columns.names == names


@pytest.mark.parametrize("kind", PAIRS)
def test_a_stream_may_begin_with_a_sample_without_features(kind):
    model = PAIRS[kind][0]()
    model.learn_one({}, 1)
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({}, 1)
    assert learned(model).n_samples_seen_ == 3
    assert model.predict_one({}) == pytest.approx(1, abs=0.7)


def test_before_the_first_sample():
    X = pd.DataFrame({"a": [1.0, 2.0]}, index=[7, 8])
    classifier, regressor = river.HebbianDescentClassifier(), river.HebbianDescentRegressor()
    assert classifier.predict_one({"a": 1}) is None
    assert classifier.predict_proba_one({"a": 1}) == {}
    assert classifier.predict_many(X).to_dict() == {7: None, 8: None}
    assert classifier.predict_proba_many(X).shape == (2, 0)
    assert regressor.predict_one({"a": 1}) == 0
    assert regressor.predict_many(X).to_dict() == {7: 0, 8: 0}


@pytest.mark.parametrize("kind", PAIRS)
def test_frames_keep_their_index_and_may_be_empty(kind):
    model = PAIRS[kind][0]()
    (X, y), *_ = columns_that_come_and_go()
    model.learn_many(X[:0], y[:0])
    assert model._learned.columns.names == ()
    model.learn_many(X, y)
    X.index = range(100, 112)
    assert model.predict_many(X).index.tolist() == X.index.tolist()
    assert len(model.predict_many(X[:0])) == 0
    if kind == "classifier":
        shares = model.predict_proba_many(X)
        assert shares.columns.tolist() == [0, 1]
        assert shares.index.tolist() == X.index.tolist()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert len(model.predict_proba_many(X[:0])) == 0


def test_frames_of_any_numeric_type():
    y = pd.Series([True, False])
    plain = pd.DataFrame({"a": [1.0, 0.0], "b": [3.0, 4.0]})
    typed = pd.DataFrame({"a": [True, False], "b": pd.Series([3, 4], dtype=object)})
    sparse = plain.astype(pd.SparseDtype(float))
    models = [river.HebbianDescentClassifier() for _ in range(3)]
    for model, X in zip(models, (plain, typed, sparse), strict=True):
        model.learn_many(X, y)
        assert_same_model(model, models[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("kind", PAIRS)
def test_copies_and_pickles_go_on_by_themselves(kind, copied):
    samples = rows_of(columns_that_come_and_go())
    model, whole = PAIRS[kind][0](), PAIRS[kind][0]()
    for x, y in samples[:40]:
        model.learn_one(x, y)
    other = copied(model)
    for x, y in samples[40:]:
        other.learn_one(x, y)
    for x, y in samples:
        whole.learn_one(x, y)
    assert_same_model(other, whole)
    assert learned(model).n_samples_seen_ == 40


@pytest.mark.parametrize("kind", PAIRS)
def test_clones_start_anew_with_the_same_parameters(kind):
    model = PAIRS[kind][0](learning_rate=0.1, centering=None)
    model.learn_one({"a": 1.0}, 1)
    clone = model.clone()
    assert clone._get_params() == model._get_params()
    assert not hasattr(learned(clone), "coef_")
    assert model.clone({"learning_rate": 0.2}).learning_rate == 0.2
    copied = model.clone(include_attributes=True)
    assert_same_model(copied, model)
    copied.learn_one({"a": -1.0}, 1)
    assert learned(model).n_samples_seen_ == 1


def test_the_examples_of_the_page_run(capsys):
    page = Path(__file__).parents[2] / "docs" / "estimators" / "streams.md"
    section = page.read_text(encoding="utf-8").split("\n## River\n")[-1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, page.name, "exec"), {})
    stated, printed = (re.search(r"Accuracy: (.*)%", text) for text in (section, capsys.readouterr().out))
    assert float(printed[1]) == pytest.approx(float(stated[1]), abs=0.2)  # other machines round differently


@pytest.mark.parametrize("kind", [river.HebbianDescentClassifier, river.HebbianDescentRegressor])
def test_a_model_that_is_mapped_into_memory_learns_on_a_copy(tmp_path, kind):
    model = kind()
    for value in range(5):
        model.learn_one({"a": float(value), "b": 1.0}, value % 2)
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    for each in (model, mapped):
        each.learn_one({"a": 1.0, "b": 2.0}, 1)
        each.predict_one({"a": 1.0})
    np.testing.assert_array_equal(mapped._learned.estimator.weights_, model._learned.estimator.weights_)
