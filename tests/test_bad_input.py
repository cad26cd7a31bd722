"""Bad input gets one clear sentence: what must be, what came, what to try."""

import numpy as np
import pytest

from hebbian_descent import AUTO_RULES, Activation, Autoencoder, Layer, Rule, Training, train
from hebbian_descent.checks import MissingExtraError, as_count, require_extra
from hebbian_descent.rules import get_auto_rule, get_rule

X, T = np.ones((3, 2)), np.ones((3, 1))


def new_layer(**settings):
    return Layer.create(2, 1, rng=np.random.default_rng(0), **settings)


BAD_PATTERNS = [
    (
        np.array([[1.0, np.nan], [1, 1], [1, 1]]),
        ValueError,
        r"inputs must be finite. Got nan in row 0, column 1",
    ),
    (
        np.array([[1.0, 1], [-np.inf, 1], [1, 1]]),
        ValueError,
        r"inputs must be finite. Got -inf in row 1, column 0",
    ),
    (np.empty((0, 2)), ValueError, r"inputs must hold at least one pattern"),
    (
        np.ones(2),
        ValueError,
        r"one pattern per row.*Got shape \(2,\). For one pattern, .*; for patterns of one unit, inputs",
    ),
    (np.ones((3, 5)), ValueError, r"inputs must have 2 columns. Got shape \(3, 5\)"),
    (np.ones((3, 2, 1)), ValueError, r"one pattern per row.*Got shape \(3, 2, 1\)"),
    (np.ones((3, 2), complex), TypeError, r"inputs must be real numbers. Got an array of complex128"),
    (np.full((3, 2), "a"), TypeError, r"inputs must be real numbers"),
    (np.ones((4, 2)), ValueError, r"must be pairs. Got 4 inputs and 3 targets"),
]


@pytest.mark.parametrize(("inputs", "error", "message"), BAD_PATTERNS)
def test_bad_patterns_are_refused_and_the_network_is_untouched(inputs, error, message):
    layer = new_layer()
    before = layer.weights.copy()
    with pytest.raises(error, match=message):
        train(layer, inputs, T)
    np.testing.assert_array_equal(layer.weights, before)


BAD_SETTINGS = [
    ({"rule": "hebian_descent"}, ValueError, r"rule must be one of .*Did you mean 'hebbian_descent'\?"),
    ({"rule": AUTO_RULES["oja"]()}, ValueError, r"'oja' as given trains an Autoencoder. Got a Layer"),
    ({"rule": AUTO_RULES["hebb"]()}, ValueError, r"'hebb' as given trains an Autoencoder"),
    ({"error": "hinge"}, ValueError, r"error term must be one of"),
    ({"learning_rate": -0.1}, ValueError, r"learning rate must be at least 0. Got -0.1"),
    ({"learning_rate": np.nan}, ValueError, r"learning rate must be at least 0. Got nan"),
    ({"learning_rate": "fast"}, ValueError, r"learning_rate must be a number or \"auto\". Got 'fast'"),
    ({"weight_decay": 2.5}, ValueError, r"weight decay must be at least 0 and at most 2. Got 2.5"),
    ({"shift": 1.5}, ValueError, r"shift must be at least 0 and at most 1. Got 1.5"),
    ({"hidden_shift": -1}, ValueError, r"hidden shift must be at least 0"),
    ({"batch_size": 0}, ValueError, r"batch size must be at least 1. Got 0"),
    ({"batch_size": 2.0}, TypeError, r"batch size must be a whole number. Got 2.0"),
    ({"seed": -1}, ValueError, r"seed must be at least 0"),
    ({"epochs": -1}, ValueError, r"number of epochs must be at least 0"),
    ({"first_epoch": True}, TypeError, r"first epoch must be a whole number. Got True"),
]


@pytest.mark.parametrize(("settings", "error", "message"), BAD_SETTINGS)
def test_bad_settings_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        train(new_layer(), X, T, **settings)


def test_a_setting_is_refused_before_training_starts():
    with pytest.raises(ValueError, match=r"error term must be one of"):
        Training(error="no such thing")


def test_a_layer_needs_targets():
    with pytest.raises(ValueError, match=r"learns pairs.*Got no targets"):
        train(new_layer(), X)


def test_leaky_hinge_needs_targets_of_both_signs():
    with pytest.raises(
        ValueError, match=r"'leaky_hinge' must be -1 or 1. Got 0: recode targets of 0 and 1 as 2t − 1"
    ):
        train(new_layer(), X, np.array([[0.0], [1.0], [1.0]]), error="leaky_hinge")
    train(new_layer(), X, np.array([[-1.0], [1.0], [1.0]]), error="leaky_hinge")


def test_gradient_descent_needs_a_pull_back():
    own = Activation("cube", value=lambda a: a**3)
    train(new_layer(activation=own), X, T)
    with pytest.raises(ValueError, match=r"needs the pull_back of the activation 'cube', which has none"):
        train(new_layer(activation=own), X, T, rule="gradient_descent")


def test_an_autoencoder_takes_its_own_rules():
    network = Autoencoder.create(2, 1, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"'covariance' as given trains a Layer. Got an Autoencoder"):
        train(network, X, rule="covariance")
    with pytest.raises(ValueError, match=r"'hebb' as given trains a Layer"):
        train(network, X, rule=get_rule("hebb"))
    with pytest.raises(ValueError, match=r"rule of an auto-encoder must be one of .*Did you mean 'sanger'"):
        train(network, X, rule="sangers")
    with pytest.raises(ValueError, match=r"target activity must be one number or 1"):
        train(network, X, rule=get_auto_rule("hebbian_descent", target_activity=[0.1, 0.2]))


def test_ones_own_rule_is_passed_through():
    rule = Rule("still", factors=lambda activity: (activity.inputs, 0 * activity.targets))
    layer = new_layer()
    before = layer.weights.copy()
    train(layer, X, T, rule=rule)
    np.testing.assert_array_equal(layer.weights, before)


def test_parameters_of_a_layer_must_fit_its_weights():
    with pytest.raises(ValueError, match=r"offset must be one number or 2, one for each unit. Got \(3,\)"):
        Layer.from_weights(np.ones((2, 1)), offset=np.ones(3))
    with pytest.raises(ValueError, match=r"bias must be finite"):
        Layer.from_weights(np.ones((2, 1)), bias=np.nan)
    with pytest.raises(ValueError, match=r"number of inputs must be at least 1"):
        Layer.create(0, 1, rng=np.random.default_rng(0))


def test_a_missing_extra_is_named_in_one_sentence():
    with pytest.raises(
        MissingExtraError, match=r"^Drawing needs no_such_library.*hebbian-descent\[results\]'$"
    ):
        require_extra("no_such_library.part", extra="results", purpose="Drawing")


def test_a_library_that_is_broken_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_library.py").write_text("import something_it_lacks\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="something_it_lacks") as caught:
        require_extra("broken_library", extra="results", purpose="Drawing")
    assert not isinstance(caught.value, MissingExtraError)


def test_counts_are_whole_numbers():
    assert as_count(np.int64(3), "count") == 3
