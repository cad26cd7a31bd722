"""Estimators in files: a state in which learning never leaves an estimator is refused."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hebbian_descent import (
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    get_activation,
)
from hebbian_descent.storage import models
from hebbian_descent.storage.models import ModelFileError, pack, restored, unpack, write_model

X = np.random.default_rng(0).random((8, 3))
CLASSIFIER = HebbianDescentClassifier(learning_rate=0.5, random_state=1).fit(X, ["spam", "ham"] * 4)
REGRESSOR = HebbianDescentRegressor().fit(X, X[:, :2])
AUTOENCODER = HebbianDescentAutoencoder(n_hidden=2).fit(X)


def contents_with(estimator, changes):
    """Return contents and arrays of an estimator with some parts of its state replaced."""
    contents, arrays = estimator._contents()
    state = {**contents["state"], **arrays, **changes}
    arrays = {
        name: value for name, value in state.items() if getattr(value, "dtype", np.dtype("O")).kind in "fiub"
    }
    words = {name: value for name, value in state.items() if name not in arrays}
    return {**contents, "state": words}, arrays


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ham", "spam"]),
        np.array(["ham", "spam"], object),
        np.array([3, 7]),
        np.array([3, 7], np.uint8),
        np.array([3.0, 7.0]),
        np.array([False, True]),
        np.array(["", "\x1b[2J"]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_an_estimator_comes_back_with_its_labels_and_works(labels, tmp_path):
    estimator = HebbianDescentClassifier(random_state=0).fit(X, np.tile(labels, 4))
    estimator.save(tmp_path / "file")
    found = HebbianDescentClassifier.load(tmp_path / "file")
    assert found.classes_.dtype == estimator.classes_.dtype
    np.testing.assert_array_equal(found.classes_, labels)
    for each in (found, estimator):
        each.partial_fit(X, np.tile(labels, 4))
    np.testing.assert_array_equal(found.predict(X), estimator.predict(X))
    assert found.describe() == estimator.describe()
    assert repr(found) == repr(estimator) == repr(clone(found))
    assert pack(type(found).__name__, *found._contents()) == pack(
        type(found).__name__, *estimator._contents()
    )


@pytest.mark.parametrize(
    ("estimator", "changes", "message"),
    [
        (CLASSIFIER, {"weights_": np.ones((2, 4))}, r"fit together. Got \(2, 4\) for 'weights_'"),
        (CLASSIFIER, {"weights_": 1}, r"value of .weights_. must be an array. Got 1"),
        (CLASSIFIER, {"classes_": [3, 7]}, r"Got 'classes_' = \[3, 7\]"),
        (CLASSIFIER, {"classes_": np.arange(5)}, r"Got 'classes_' = "),
        (CLASSIFIER, {"classes_": np.array([7, 7])}, r"Got 'classes_' = array\(\[7, 7\]\)"),
        (CLASSIFIER, {"classes_": np.array([7, 3])}, r"Got 'classes_' = array\(\[7, 3\]\)"),
        (CLASSIFIER, {"classes_": np.array(["b", "a"])}, r"Got 'classes_' = "),
        (CLASSIFIER, {"classes_": np.array(["a", "a"], object)}, r"Got 'classes_' = "),
        (CLASSIFIER, {"classes_": np.array([0.5, 1.5])}, r"Got 'classes_' = "),
        (CLASSIFIER, {"classes_": np.array([[0, 1]])}, r"Got 'classes_' = "),
        (CLASSIFIER, {"feature_names_in_": ["a", 1, "c"]}, r"Got 'feature_names_in_' = "),
        (CLASSIFIER, {"feature_names_in_": ["a"]}, r"Got 'feature_names_in_' = "),
        (CLASSIFIER, {"n_epochs_": -1}, r"Got 'n_epochs_' = -1"),
        (CLASSIFIER, {"n_epochs_": "many"}, r"Got 'n_epochs_' = 'many'"),
        (CLASSIFIER, {"n_samples_seen_": 2**60}, r"Got 'n_samples_seen_' = 1152921504606846976"),
        (CLASSIFIER, {"n_samples_seen_": True}, r"Got 'n_samples_seen_' = True"),
        (CLASSIFIER, {"weight_seen_": -1.0}, r"Got 'weight_seen_' = -1.0"),
        (CLASSIFIER, {"weight_seen_": 80}, r"Got 'weight_seen_' = 80"),
        (CLASSIFIER, {"precisions_": np.ones(2)}, r"fit together. Got \(2,\) for 'precisions_'"),
        (CLASSIFIER, {"coef_": np.ones((2, 3))}, r"parts of the state must be bias_, classes_"),
        (CLASSIFIER, {"seed_": -1}, r"Got 'seed_' = -1"),
        (CLASSIFIER, {"n_features_in_": 7}, r"Got 'n_features_in_' = 7"),
        (CLASSIFIER, {"offset_": np.zeros(3, np.float32)}, r"one floating dtype"),
        (CLASSIFIER, {"target_ndim_": 1}, r"parts of the state must be bias_, classes_"),
        (CLASSIFIER, {"__class__": 1}, r"parts of the state must be bias_, classes_"),
        (REGRESSOR, {"target_ndim_": 1}, r"Got 'target_ndim_' = 1"),
        (REGRESSOR, {"target_ndim_": 3}, r"Got 'target_ndim_' = 3"),
        (AUTOENCODER, {"hidden_offset_": np.ones(3)}, r"fit together. Got \(3,\) for 'hidden_offset_'"),
    ],
)
def test_a_forged_state_is_refused(estimator, changes, message, tmp_path):
    write_model(tmp_path / "file", type(estimator).__name__, *contents_with(estimator, changes))
    with pytest.raises(ModelFileError, match=message) as caught:
        models.load(tmp_path / "file")
    assert str(caught.value).startswith(str(tmp_path / "file"))


@pytest.mark.parametrize("missing", ["mean_weights_", "mean_bias_", "mean_squares_", "precisions_"])
def test_half_an_average_or_a_spread_is_refused(missing, tmp_path):
    contents, arrays = CLASSIFIER._contents()
    del arrays[missing]
    write_model(tmp_path / "file", "HebbianDescentClassifier", contents, arrays)
    with pytest.raises(ModelFileError, match=rf"parts of the state must be .*{missing}"):
        models.load(tmp_path / "file")


def test_the_parts_of_a_state_may_come_in_any_order():
    estimator = HebbianDescentClassifier(random_state=0).fit(X, [0, 1] * 4, sample_weight=[2.5] * 8)
    file = unpack(pack("HebbianDescentClassifier", *estimator._contents()))
    file.parameters["state"] = dict(reversed(file.parameters["state"].items()))
    found = restored(file)
    assert (found.n_samples_seen_, found.weight_seen_) == (80, 200.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scaling": "yes"}, r"scaling, unless it is None, must be .*Got 'yes'"),
        ({"average": "yes"}, r'average must be True, False, "auto" or a rate. Got .yes'),
        ({"average": 2}, r"at most 1"),
        ({"learning_rate": -1}, r"at least 0"),
        ({"more": 1}, r"parameters must be"),
        ({"random_state": {"a": 1}}, r"value of 'random_state' must be a number or a word. Got {'a': 1}"),
        ({"random_state": "1"}, r"random_state must be none or a whole number from 0 on. Got '1'"),
        ({"random_state": -1}, r"random_state must be none or a whole number from 0 on. Got -1"),
        ({"random_state": 0.5}, r"random_state must be none or a whole number from 0 on. Got 0.5"),
        ({"shuffle": [1, 2]}, r"value of 'shuffle' must be a number or a word. Got \[1, 2\]"),
        ({"error": get_activation("sigmoid")}, r"error term must be an ErrorTerm, or a function of targets"),
        ({"activation": "x" * 10**6}, r"value of 'activation' must be a number or a word"),
    ],
)
def test_forged_parameters_are_refused(changes, message, tmp_path):
    contents, arrays = CLASSIFIER._contents()
    forged = {**contents, "parameters": {**contents["parameters"], **changes}}
    write_model(tmp_path / "file", "HebbianDescentClassifier", forged, arrays)
    with pytest.raises(ModelFileError, match=message) as caught:
        models.load(tmp_path / "file")
    assert len(str(caught.value)) < 2000


def test_words_that_would_fill_the_memory_are_refused():
    """An array of words has room for the longest of them in every place."""
    names = ["x" * 1_000_000, *map(str, range(100_000))]
    contents, arrays = contents_with(CLASSIFIER, {"classes_": np.array(["a", "b"])})
    contents["state"]["classes_"] = "HERE"
    content = pack("HebbianDescentClassifier", contents, arrays)
    found = unpack(content)
    found.parameters["state"]["classes_"] = {"$strings": {"object": False, "values": names}}
    with pytest.raises(ModelFileError, match=r"Got 100001 words of up to 1000000 characters"):
        restored(found)


def test_a_generator_as_random_state_is_refused_with_its_name(tmp_path):
    estimator = clone(CLASSIFIER).set_params(random_state=np.random.RandomState(0)).fit(X, [0, 1] * 4)
    with pytest.raises(ModelFileError, match=r"in parameters.parameters.random_state"):
        models.save(estimator, tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_a_classifier_without_classes_is_not_written(tmp_path):
    empty = HebbianDescentClassifier().partial_fit(X[:1], [1], sample_weight=[0.0])
    with pytest.raises(NotFittedError):
        empty.save(tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_names_of_wide_data_fit_and_longer_ones_are_not_written(tmp_path):
    contents, arrays = HebbianDescentRegressor().fit(X[:, :1], X[:, 0])._contents()
    for n_names, fits in ((60_000, True), (200_000, False)):
        names = [f"ENSG{number:011}" for number in range(n_names)]
        wide = {
            **{name: np.zeros(n_names) for name in ("offset_", "mean_squares_", "precisions_")},
            **{name: np.zeros((1, n_names)) for name in ("weights_", "mean_weights_")},
        }
        state = {**contents["state"], "feature_names_in_": names, "n_features_in_": n_names}
        parts = ({**contents, "state": state}, {**arrays, **wide})
        if fits:
            write_model(tmp_path / "file", "HebbianDescentRegressor", *parts)
            assert models.load(tmp_path / "file").feature_names_in_[-1] == "ENSG00000059999"
        else:
            with pytest.raises(ModelFileError, match=r"try shorter names of classes and features"):
                write_model(tmp_path / "file", "HebbianDescentRegressor", *parts)
