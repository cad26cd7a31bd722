"""What River models refuse: they say what is wrong, and have learned nothing from it."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from hebbian_descent import DivergenceError
from hebbian_descent.river import HebbianDescentClassifier, HebbianDescentRegressor

BAD_SAMPLES = {
    "a word": ({"a": 1.0, "b": "red"}, TypeError, r"must be a number. Got 'red' for 'b'.*OneHotEncoder"),
    "a number as a word": ({"a": 1.0, "b": "2"}, TypeError, "Got '2' for 'b'"),
    "none": ({"a": None, "b": 2.0}, TypeError, "Got None for 'a'"),
    "a list": ({"a": [1.0], "b": 2.0}, TypeError, r"Got \[1.0\] for 'a'"),
    "nan": ({"a": float("nan"), "b": 2.0}, ValueError, "must be finite. Got nan for 'a'.*StatImputer"),
    "infinite": ({"b": 1.0, "a": np.inf}, ValueError, "must be finite. Got inf for 'a'"),
    "too large an integer": ({"a": 10**400, "b": 2.0}, OverflowError, "too large"),
    "nan in a new feature": ({"c": float("nan")}, ValueError, "Got nan for 'c'"),
    "a word in a new feature": ({"c": "red", "a": 1.0}, TypeError, "Got 'red' for 'c'"),
    "far too large": ({"a": 1e200, "b": 2.0}, DivergenceError, "inputs of a smaller scale"),
    "far too large in a new feature": ({"c": 1e200}, DivergenceError, "inputs of a smaller scale"),
}


@pytest.fixture(params=[HebbianDescentClassifier, HebbianDescentRegressor])
def model(request):
    model = request.param()
    for step in range(5):
        model.learn_one({"a": 0.5 * step, "b": 1.0}, step % 2)
    return model


def refuses(model, call, error, match):
    before = pickle.dumps(model._learned)
    with pytest.raises(error, match=match):
        call()
    assert pickle.dumps(model._learned) == before
    model.learn_one({"a": 1.0, "b": 0.0}, 1)
    assert model._learned.estimator.n_samples_seen_ == 6


@pytest.mark.parametrize("case", BAD_SAMPLES)
def test_samples(model, case):
    x, error, match = BAD_SAMPLES[case]
    refuses(model, lambda: model.learn_one(x, 1), error, match)


@pytest.mark.parametrize("case", BAD_SAMPLES)
def test_samples_with_a_new_class(case):
    model = HebbianDescentClassifier()
    for step in range(5):
        model.learn_one({"a": 0.5 * step, "b": 1.0}, step % 2)
    x, error, match = BAD_SAMPLES[case]
    refuses(model, lambda: model.learn_one(x, 2), error, match)


@pytest.mark.parametrize("case", ["a word", "a number as a word", "none", "a list", "nan", "infinite"])
def test_samples_to_predict(model, case):
    x, error, match = BAD_SAMPLES[case]
    refuses(model, lambda: model.predict_one(x), error, match)
    with pytest.raises(error, match=match):
        model.predict_many(pd.DataFrame([x]))


@pytest.mark.parametrize("case", sorted(BAD_SAMPLES.keys() - {"none", "too large an integer"}))
def test_frames(model, case):
    x, error, match = BAD_SAMPLES[case]
    X = pd.DataFrame([dict.fromkeys(x, 1.0), x])
    refuses(model, lambda: model.learn_many(X, pd.Series([1, 1])), error, match)


def test_frames_that_do_not_fit(model):
    X = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    refuses(model, lambda: model.learn_many(X, pd.Series([1])), ValueError, "different names")


@pytest.mark.parametrize("X", [np.ones((1, 2)), {"a": 1.0}, None], ids=["array", "dictionary", "none"])
def test_what_is_no_frame(model, X):
    got = type(X).__name__
    refuses(model, lambda: model.learn_many(X, pd.Series([1])), TypeError, rf"pandas DataFrame. Got {got}")
    with pytest.raises(TypeError, match=rf"pandas DataFrame. Got {got}"):
        model.predict_many(X)


def test_frames_and_targets_of_different_lengths(model):
    X = pd.DataFrame({"a": [1.0, 2.0]})
    refuses(model, lambda: model.learn_many(X, pd.Series([1])), ValueError, "inconsistent numbers of samples")


@pytest.mark.parametrize(
    ("target", "error"), [(None, TypeError), ("1.5", TypeError), (float("nan"), ValueError), ([1], TypeError)]
)
def test_targets(target, error):
    model = HebbianDescentRegressor()
    for step in range(5):
        model.learn_one({"a": 0.5 * step, "b": 1.0}, step % 2)
    refuses(model, lambda: model.learn_one({"a": 1.0}, target), error, "The target must be")
    X, y = pd.DataFrame({"a": [1.0, 1.0]}), pd.Series([1, target], dtype=object)
    with pytest.raises(error, match="The target must be"):
        model.learn_many(X, y)


@pytest.mark.parametrize(
    ("label", "error", "match"),
    [
        (None, TypeError, "A label must be a bool, a whole number or a string. Got None"),
        ((1, 2), TypeError, r"Got \(1, 2\)"),
        (float("nan"), ValueError, "NaN"),
        (0.5, ValueError, "label type"),
        ("one", ValueError, "Mix of label input types"),
    ],
)
def test_labels(label, error, match):
    model = HebbianDescentClassifier()
    for step in range(5):
        model.learn_one({"a": 0.5 * step, "b": 1.0}, step % 2)
    refuses(model, lambda: model.learn_one({"a": 1.0}, label), error, match)


def test_words_and_numbers_as_labels_of_one_frame():
    X, y = pd.DataFrame({"a": [1.0, 1.0]}), pd.Series(["one", 2], dtype=object)
    with pytest.raises(TypeError, match=r"all strings or all numbers. Got 'one', 2"):
        HebbianDescentClassifier().learn_many(X, y)


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"rule": "hebian_descent"}, "Did you mean 'hebbian_descent'"),
        ({"learning_rate": -1}, "learning rate"),
        ({"centering": "mean"}, "needs the mean of the whole data"),
        ({"centering": [0.1, 0.2]}, r"one number for all features, a name or None. Got \[0.1, 0.2\]"),
        ({"rule": "covariance", "centering": None}, "needs the means of the whole data"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [HebbianDescentClassifier, HebbianDescentRegressor])
def test_parameters_when_they_are_given(kind, parameters, match):
    with pytest.raises(ValueError, match=match):
        kind(**parameters)


def test_probabilities_of_units_that_have_none():
    model = HebbianDescentClassifier(activation="linear")
    model.learn_one({"a": 1.0}, True)
    assert model.predict_one({"a": 1.0}) is True
    for recall, x in (
        (model.predict_proba_one, {"a": 1}),
        (model.predict_proba_many, pd.DataFrame({"a": [1]})),
    ):
        with pytest.raises(
            NotImplementedError, match=r"need the activation softmax or sigmoid. Got 'linear'"
        ):
            recall(x)


def test_an_interrupt_while_a_feature_is_new_leaves_what_was_learned_before(model, monkeypatch):
    def learn_and_stop(estimator, *args, **kwargs):
        partial_fit(estimator, *args, **kwargs)
        raise KeyboardInterrupt

    kind = type(model._learned.estimator)
    partial_fit = kind.partial_fit
    before = pickle.dumps(model._learned)
    with monkeypatch.context() as patch:
        patch.setattr(kind, "partial_fit", learn_and_stop)
        with pytest.raises(KeyboardInterrupt):
            model.learn_one({"new": 1.0}, 1)
    assert pickle.dumps(model._learned) == before
    model.learn_one({"new": 1.0}, 1)
    assert model._learned.estimator.n_samples_seen_ == 6


def test_without_river_one_sentence_says_which_extra_brings_it():
    program = "import sys\nsys.modules['river'] = None\nimport hebbian_descent.river"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        "hebbian_descent.river needs river, which is not installed: pip install 'hebbian-descent[river]'"
    )
