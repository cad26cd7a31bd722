"""Bad input to a sweep: one clear sentence each."""

import warnings

import numpy as np
import pytest

from hebbian_descent import Activation
from hebbian_descent.sweep import TargetRangeWarning, initial_weights, sweep, sweep_autoencoders

X, T = np.eye(4), np.ones((4, 2)) / 2
GRID = {"rules": "hebb", "activations": "sigmoid", "learning_rates": 0.1, "trials": 1}

BAD_VALUES = [
    ({"rules": "heb"}, ValueError, r"rule must be one of .* Got 'heb'. Did you mean 'hebb'\?"),
    ({"rules": []}, ValueError, r"at least one value for the rules. Got none"),
    ({"activations": ["sigmoid", "sigmoyd"]}, ValueError, r"Did you mean 'sigmoid'"),
    ({"activations": ()}, ValueError, r"at least one value for the activations"),
    ({"learning_rates": ()}, ValueError, r"at least one value for the learning rates"),
    ({"learning_rates": 0}, ValueError, r"learning rate must be above 0. Got 0"),
    ({"learning_rates": (0.1, -1)}, ValueError, r"learning rate must be above 0. Got -1"),
    ({"learning_rates": (0.1, 0.1)}, ValueError, r"learning rates must differ"),
    ({"weight_decays": 3}, ValueError, r"weight decay must be at least 0 and at most 2. Got 3"),
    ({"trials": 0}, ValueError, r"number of trials must be at least 1"),
    ({"trials": [1, 1]}, ValueError, r"trials must differ"),
    ({"trials": 1.5}, TypeError, r"number of trials must be a whole number. Got 1.5"),
    ({"centering": "median"}, ValueError, r"centering must be one of None, mean, moving. Got 'median'"),
    ({"centering": "moving", "shift": 0}, ValueError, r"shift must be above 0"),
    ({"epochs": 0}, ValueError, r"number of epochs must be at least 1"),
    ({"batch_size": 0}, ValueError, r"batch size must be at least 1"),
    ({"measures": "rmse"}, ValueError, r"measure must be one of .* Got 'rmse'. Did you mean 'mse'"),
    ({"error": "diff"}, ValueError, r"error term must be one of"),
    ({"seed": -1}, ValueError, r"seed must be at least 0"),
    ({"seed": 0.5}, TypeError, r"seed must be a whole number"),
    ({"engine": "fast"}, ValueError, r"engine must be one of auto, reference, sequence, stacked. Got 'fast'"),
    (
        {"engine": "sequence", "batch_size": 2},
        ValueError,
        r"'sequence' cannot run hebb, sigmoid: patterns come in batches",
    ),
    ({"dtype": np.float16}, ValueError, r"dtype must be float32 or float64. Got float16"),
    ({"memory_budget": 10}, ValueError, r"memory budget must be at least 1048576"),
    ({"evaluate_on": X}, TypeError, r"evaluate_on must be a pair"),
    ({"evaluate_on": (X[:, :2], T)}, ValueError, r"evaluated inputs must have 4 columns"),
    ({"evaluate_on": (X, T[:2])}, ValueError, r"evaluated inputs and evaluated targets must be pairs"),
    ({"workers": 2, "scheduler": "local"}, ValueError, r"number of workers or a scheduler, not both"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD_VALUES, ids=lambda v: str(v)[:40])
def test_bad_values_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        sweep(X, T, **{**GRID, **options})


def test_bad_patterns_are_refused():
    with pytest.raises(ValueError, match=r"inputs and targets must be pairs, equally many. Got 4 and 3"):
        sweep(X, T[:3], **GRID)
    with pytest.raises(ValueError, match=r"inputs must be finite. Got nan in row 1, column 2"):
        sweep(np.where((np.arange(16) == 6).reshape(4, 4), np.nan, X), T, **GRID)


def test_constant_columns_are_harmless(pairs):
    inputs = pairs[0].copy()
    inputs[:, 3] = 1.0
    result = sweep(inputs, pairs[1], **{**GRID, "rules": ["hebbian_descent", "covariance"]})
    assert np.isfinite(result.values["mae"]).all()


def test_targets_out_of_reach_give_one_warning_with_the_range():
    with pytest.warns(
        TargetRangeWarning, match=r"between 0 and 2, .* sigmoid reaches 0 to 1; .* Rescale"
    ) as caught:
        sweep(X, 2 * X, **{**GRID, "activations": ["sigmoid", "linear", "softsign"]})
    assert len(caught) == 1
    assert "linear" not in str(caught[0].message)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sweep(X, 2 * X, **{**GRID, "activations": "rectifier"})


def test_autoencoders_check_their_own_values():
    grid = {
        "rules": "hebbian_descent",
        "hidden_activations": "sigmoid",
        "output_activations": "linear",
        "n_hidden": 2,
        "learning_rates": 0.1,
    }
    with pytest.raises(ValueError, match=r"number of hidden units must be at least 1"):
        sweep_autoencoders(X, **{**grid, "n_hidden": 0})
    with pytest.raises(ValueError, match=r"centering of auto-encoders must be one of None, mean"):
        sweep_autoencoders(X, **grid, centering="moving")
    with pytest.raises(ValueError, match=r"'covariance' as given trains a Layer"):
        sweep_autoencoders(X, **{**grid, "rules": "covariance"})
    with pytest.raises(ValueError, match=r"engine must be one of auto, reference, tied"):
        sweep_autoencoders(X, **grid, engine="sequence")
    with pytest.raises(TypeError, match=r"Got 'momentum'"):
        sweep_autoencoders(X, **grid, momentum=0.9)


def test_initial_weights_take_whole_numbers():
    with pytest.raises(TypeError, match=r"seed must be a whole number"):
        initial_weights(0.5, 0, 3, 2)
    with pytest.raises(ValueError, match=r"trial must be at least 0"):
        initial_weights(0, -1, 3, 2)


WRONG_RETURNS = {
    "one number per pattern": lambda t, h: (h - t).mean(axis=1),
    "one column": lambda t, h: (h - t).mean(axis=1, keepdims=True),
    "one number": lambda t, h: 1.0,
    "nothing": lambda t, h: None,
    "complex numbers": lambda t, h: 1j * (h - t),
}


@pytest.mark.parametrize("what", WRONG_RETURNS)
def test_a_custom_error_term_must_return_one_real_number_for_each_unit(what):
    x = np.random.default_rng(0).random((8, 5))
    message = r"error term '<lambda>' must return an array of real numbers, of the shape of its arguments"
    settings = {"rules": "hebbian_descent", "learning_rates": 0.1, "trials": 1, "error": WRONG_RETURNS[what]}
    with pytest.raises(ValueError, match=message):
        sweep(x, x, activations="sigmoid", **settings)
    with pytest.raises(ValueError, match=message):
        sweep_autoencoders(
            x, hidden_activations="sigmoid", output_activations="linear", n_hidden=2, **settings
        )


def test_a_custom_activation_must_return_one_real_number_for_each_unit():
    x = np.random.default_rng(0).random((8, 5))
    constant = Activation("constant", lambda a: 1.0)
    with pytest.raises(ValueError, match="activation 'constant' must return an array of real numbers"):
        sweep(x, x, rules="hebbian_descent", activations=constant, learning_rates=0.1)


def test_a_bare_function_is_no_activation():
    x = np.random.default_rng(0).random((8, 5))
    with pytest.raises(TypeError, match=r"must be an Activation: Activation\('mine', function\)"):
        sweep(x, x, rules="hebbian_descent", activations=np.tanh, learning_rates=0.1)


def test_a_misspelt_argument_of_auto_encoders_is_named():
    x = np.random.default_rng(0).random((8, 5))
    with pytest.raises(TypeError, match=r"Got 'epoch'\. Did you mean 'epochs'\?"):
        sweep_autoencoders(
            x,
            rules="hebb",
            hidden_activations="linear",
            output_activations="linear",
            n_hidden=2,
            learning_rates=1,
            epoch=3,
        )
