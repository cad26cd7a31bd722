"""What estimators offer follows from their parameters, and what they lack is explained."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor

from hebbian_descent import (
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
T = X @ np.arange(5.0)
KINDS = [HebbianDescentClassifier, HebbianDescentRegressor, HebbianDescentAutoencoder]


@pytest.mark.parametrize("kind", KINDS)
def test_streams_are_offered_where_they_can_be_learned(kind):
    assert hasattr(kind(), "partial_fit")
    assert not hasattr(kind(centering="mean"), "partial_fit")
    assert hasattr(kind(centering="no such word"), "partial_fit")  # which reports it


WHOLE_MEAN = (
    'centering="mean" needs the mean of the whole data, which partial_fit does not have. Use '
    'centering="moving", or pass the mean itself if you know it.'
)
MEANS = (
    "The rule 'covariance' needs the means of the whole data, which partial_fit does not have, unless it "
    'learns them with a moving offset. Got centering=None and offset_start=None: use centering="moving" with '
    "offset_start=None, or fit."
)
NO_PROBABILITIES = (
    'Only activation="softmax" and "sigmoid" give probabilities. Got \'linear\': try decision_function.'
)


@pytest.mark.parametrize(
    ("learner", "name", "reason"),
    [
        *((kind(centering="mean"), "partial_fit", WHOLE_MEAN) for kind in KINDS),
        *((kind(rule="covariance", centering=None), "partial_fit", MEANS) for kind in KINDS[:2]),
        (HebbianDescentClassifier(activation="linear"), "predict_proba", NO_PROBABILITIES),
        (HebbianDescentClassifier(activation="linear"), "predict_log_proba", NO_PROBABILITIES),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "get_params") else None,
)
def test_the_error_of_a_missing_method_says_why(learner, name, reason):
    kind = type(learner)
    assert not hasattr(learner, name)
    for access in (lambda: getattr(learner, name), lambda: getattr(kind, name)(learner, X)):
        with pytest.raises(AttributeError) as error:
            access()
        assert str(error.value) == f"This {kind.__name__!r} has no attribute {name!r}. {reason}"


def test_python_suggests_no_private_method_instead():
    code = "import hebbian_descent as hd; hd.HebbianDescentRegressor(centering='mean').partial_fit"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1].endswith(WHOLE_MEAN)


@pytest.mark.parametrize("centering", ["mean", "moving"])
def test_what_wraps_an_estimator_has_the_methods_that_it_has(centering):
    offers = centering == "moving"
    assert (
        hasattr(OneVsRestClassifier(HebbianDescentClassifier(centering=centering)), "partial_fit") == offers
    )
    assert (
        hasattr(MultiOutputRegressor(HebbianDescentRegressor(centering=centering)), "partial_fit") == offers
    )
    activation = "softmax" if offers else "linear"
    search = GridSearchCV(HebbianDescentClassifier(activation=activation), {"epochs": [1]}, cv=2)
    assert hasattr(search.fit(X, X[:, 0] > 0), "predict_proba") == offers


def test_methods_keep_their_signature_and_their_words():
    method = HebbianDescentClassifier.partial_fit
    assert list(inspect.signature(method).parameters) == ["self", "X", "y", "classes", "sample_weight"]
    assert method.__doc__.startswith("Learn the samples once")
    with config_context(enable_metadata_routing=True):
        requested = HebbianDescentClassifier().set_partial_fit_request(classes=True)
        assert requested.get_metadata_routing().partial_fit.requests["classes"] is True
    bound = pickle.loads(pickle.dumps(HebbianDescentClassifier().partial_fit))
    assert bound(X, X[:, 0] > 0).n_samples_seen_ == 60


@pytest.mark.parametrize("kind", KINDS[:2])
def test_the_covariance_rule_streams_with_a_moving_offset_alone(kind):
    assert hasattr(kind(rule="covariance"), "partial_fit")
    assert not hasattr(kind(rule="covariance", centering=None), "partial_fit")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", ["hebb", "contrastive"])
def test_rules_say_what_they_ignore(kind, rule):
    assert "the error term is not used" in kind(rule=rule).describe()
    assert "not used" not in kind().describe()


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"scaling": None},
        {"rule": "hebb"},
        {"rule": "contrastive"},
        {"rule": "covariance"},
        {"centering": 0.5},
        {"centering": None},
        {"centering": "moving", "offset_start": 0.5},
    ],
)
def test_the_description_says_whether_inputs_are_scaled(kind, settings):
    learner = kind(**settings).fit(X, X[:, 0] > 0)
    expected = "inputs not scaled" if learner.scale_ is None else "inputs scaled by their spread"
    assert expected in learner.describe().split("; ")


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize(
    ("average", "words"),
    [
        (
            "auto",
            "averaged over the last quarter of all samples seen, in partial_fit at most about the last 333",
        ),
        (True, "averaged over the last quarter of all samples seen;"),
        (0.001, "averaged over the last quarter of all samples seen, at most about the last 1,000;"),
        (False, "predictions from the latest weights;"),
    ],
)
def test_the_description_says_what_predicts(kind, average, words):
    learner = kind(average=average)
    assert words in learner.describe()
    learner.fit(X, X[:, 0] > 0)
    assert ("averaged" in learner.describe()) == hasattr(learner, "mean_weights_")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"epochs": 1}, "; 1 epoch in fit"),
        ({"epochs": 3, "max_epochs": 2000}, "; up to 2,000 epochs in fit, until the loss stops falling"),
        (
            {"max_epochs": 20, "early_stopping": True, "validation_fraction": 0.25},
            "; up to 20 epochs in fit, until the loss on a held-out 25 % stops falling, "
            "and the best epoch is kept",
        ),
    ],
)
def test_the_description_says_when_fit_ends(settings, words):
    for kind in KINDS[:2]:
        assert kind(**settings).describe().endswith(words)
    if "max_epochs" not in settings:
        assert HebbianDescentAutoencoder(**settings).describe().endswith(words)


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ("balanced", "samples weighted so that all classes count the same"),
        ({"spam": 2.5, 1: 1}, "samples weighted by class ('spam': 2.5, 1: 1)"),
        (dict.fromkeys(range(9), 3), "samples weighted by class (0: 3, 1: 3, 2: 3, 3: 3, 4: 3, …)"),
    ],
)
def test_the_description_says_what_classes_weigh(class_weight, words):
    assert "weighted" not in HebbianDescentClassifier().describe()
    assert HebbianDescentClassifier(class_weight=class_weight).describe().endswith(f"; {words}")
    assert "class_weight" in HebbianDescentClassifier(class_weight=3).describe()


@pytest.mark.parametrize(
    ("settings", "scales", "advice"),
    [
        ({"learning_rate": 100.0}, {}, "Try a smaller learning rate"),
        ({"scaling": None}, {"inputs": 1e200}, "Try inputs of a smaller scale"),
        ({}, {"targets": 1e200}, "Try targets of a smaller scale"),
        ({"learning_rate": 0.01}, {"targets": 1e200}, "Try targets of a smaller scale"),
        ({"learning_rate": 3.0}, {"weights": 1e100}, "Try smaller sample weights"),
        ({"batch_size": 5}, {"targets": 1e200}, "Try targets of a smaller scale"),
    ],
)
def test_divergence_names_its_cause(settings, scales, advice):
    weights = np.full(60, scales.get("weights", 1.0))
    regressor = HebbianDescentRegressor(**settings)
    with pytest.raises(DivergenceError, match=advice):
        regressor.fit(X * scales.get("inputs", 1.0), T * scales.get("targets", 1.0), sample_weight=weights)
    assert not hasattr(regressor, "weights_")


@pytest.mark.parametrize("scale", [1.0, 255.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch_size", [1, 10, 100])
@pytest.mark.parametrize("hidden", ["linear", "rectifier", "sigmoid"])
def test_contrastive_learning_does_not_diverge_by_itself(scale, dtype, batch_size, hidden):
    inputs = (np.random.default_rng(0).random((300, 30)) * scale).astype(dtype)
    encoder = HebbianDescentAutoencoder(
        rule="contrastive", hidden_activation=hidden, batch_size=batch_size, random_state=0
    )
    assert encoder.fit(inputs).score(inputs) > -scale
