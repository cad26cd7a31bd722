"""Estimators in files, by way of a stand-in that keeps what estimators keep."""

import sys
from types import ModuleType

import numpy as np
import pytest

from hebbian_descent import files
from hebbian_descent.checks import as_number
from hebbian_descent.files import ModelFileError, registry, write_model
from hebbian_descent.files.estimators import estimator_contents


class HebbianDescentClassifier:
    def __init__(self, activation="softmax", learning_rate="auto", random_state=None):
        self.activation, self.learning_rate, self.random_state = activation, learning_rate, random_state

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in ("activation", "learning_rate", "random_state")}

    def describe(self):
        if self.learning_rate != "auto":
            as_number(self.learning_rate, "learning_rate", at_least=0)
        return "a stand-in"

    def _state(self):
        return dict(self.state)

    def _restore(self, state):
        self.state = dict(state)


@pytest.fixture
def estimator(monkeypatch):
    module = ModuleType("stand_in")
    module.HebbianDescentClassifier = HebbianDescentClassifier
    monkeypatch.setitem(sys.modules, "stand_in", module)
    monkeypatch.setitem(registry.KINDS, "HebbianDescentClassifier", "stand_in")
    estimator = HebbianDescentClassifier(learning_rate=0.5)
    estimator._restore(
        {
            "coef_": np.ones((2, 3), np.float32),
            "bias_": np.zeros(2, np.float32),
            "offset_": np.zeros(3, np.float32),
            "n_features_in_": 3,
            "n_epochs_": 1,
            "classes_": np.array(["ham", "spam"]),
            "feature_names_in_": ["a", "b", "c"],
        }
    )
    return estimator


@pytest.mark.parametrize(
    "classes",
    [np.array(["ham", "spam"]), np.array(["ham", "spam"], object), np.array([3, 7]), np.array([False, True])],
)
def test_an_estimator_comes_back_with_its_labels(estimator, classes, tmp_path):
    estimator.state["classes_"] = classes
    files.save(estimator, tmp_path / "file")
    found = files.load(tmp_path / "file")
    assert found.get_params() == estimator.get_params()
    assert found.state.keys() == estimator.state.keys()
    assert found.state["classes_"].dtype == classes.dtype
    for name, value in estimator.state.items():
        np.testing.assert_array_equal(found.state[name], value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coef_": np.ones((2, 4), np.float32)}, r"fit together. Got \(3,\) for 'offset_'"),
        ({"classes_": [3, 7]}, r"fit together. Got another 'classes_'"),
        ({"feature_names_in_": ["a", 1, "c"]}, r"fit together. Got another 'feature_names_in_'"),
        ({"classes_": np.arange(5)}, r"fit together. Got another 'classes_'"),
        ({"feature_names_in_": ["a"]}, r"fit together. Got another 'feature_names_in_'"),
        ({"n_epochs_": -1}, r"fit together. Got another 'n_epochs_'"),
        ({"n_epochs_": "many"}, r"fit together. Got another 'n_epochs_'"),
        ({"n_features_in_": 7}, r"number of features must be 3"),
        ({"offset_": np.zeros(3)}, r"one floating dtype"),
    ],
)
def test_a_forged_state_is_refused(estimator, changes, message, tmp_path):
    estimator.state.update(changes)
    files.save(estimator, tmp_path / "file")
    with pytest.raises(ModelFileError, match=message):
        files.load(tmp_path / "file")


def test_forged_parameters_are_refused(estimator, tmp_path):
    contents, arrays = estimator_contents(estimator)
    for changes, message in (({"learning_rate": -1}, r"at least 0"), ({"more": 1}, r"parameters must be")):
        forged = {**contents, "parameters": {**contents["parameters"], **changes}}
        write_model(tmp_path / "file", "HebbianDescentClassifier", forged, arrays)
        with pytest.raises(ModelFileError, match=message):
            files.load(tmp_path / "file")


def test_a_generator_as_random_state_is_refused_with_its_name(estimator, tmp_path):
    estimator.random_state = np.random.RandomState(0)
    with pytest.raises(ModelFileError, match=r"in parameters.parameters.random_state"):
        files.save(estimator, tmp_path / "file")
