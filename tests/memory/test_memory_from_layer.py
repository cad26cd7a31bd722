"""Memories from given layers, warnings of targets out of reach, and activations by other libraries' names."""

import warnings

import numpy as np
import pytest

from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    Layer,
    TargetRangeWarning,
    get_activation,
    sweep,
    train,
)
from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.network.activations.other_names import NAMES
from hebbian_descent.sweep.grid_sweep import TargetRangeWarning as FromSweep

RNG = np.random.default_rng(0)
X, T = RNG.random((20, 6)), RNG.random((20, 4))


def new_layer(n_outputs=4, **settings):
    return Layer.create(6, n_outputs, rng=np.random.default_rng(3), offset=0.4, **settings)


def test_a_memory_goes_on_where_another_stopped():
    whole, first = AssociativeMemory(6, 4, seed=1), AssociativeMemory(6, 4, seed=1)
    whole.store(X, T)
    first.store(X[:12], T[:12])
    second = AssociativeMemory.from_layer(first.network, n_stored=12)
    second.store(X[12:], T[12:])
    assert second.n_stored == 20
    np.testing.assert_array_equal(second.network.weights, whole.network.weights)


@pytest.mark.parametrize("centering", ["moving", None, 0.2])
def test_it_recalls_what_the_layer_does_and_leaves_it_alone(centering):
    layer = new_layer(dtype=np.float32)
    before = layer.weights.copy()
    memory = AssociativeMemory.from_layer(layer, centering=centering, learning_rate=0.1)
    assert memory.network.weights.dtype == np.float64
    np.testing.assert_allclose(memory.recall(X), layer.output(X), atol=1e-6)
    memory.store(X, T)
    np.testing.assert_array_equal(layer.weights, before)


def test_it_takes_the_settings_of_a_memory():
    mask = RNG.random((6, 6)) > 0.5
    memory = AssociativeMemory.from_layer(new_layer(6), auto="layer", connectivity=mask, rule="hebb")
    assert memory.is_auto
    assert (memory.network.weights[~mask] == 0).all()
    assert memory.learning.rule.name == "hebb"


@pytest.mark.parametrize(
    ("layer", "settings", "error", "message"),
    [
        (new_layer(), {"auto": "layer"}, ValueError, "6 inputs and 4 outputs"),
        (new_layer(), {"seed": 1}, TypeError, r"those of the layer. Got seed"),
        (X, {}, TypeError, r"is made from a Layer. Got array"),
        (new_layer(), {"n_stored": -1}, ValueError, r"must be at least 0"),
        (new_layer(), {"n_stored": 3, "rule": "hebb"}, ValueError, r"not hold. Got n_stored=3: use 0"),
    ],
)
def test_a_layer_that_does_not_fit_is_refused(layer, settings, error, message):
    with pytest.raises(error, match=message):
        AssociativeMemory.from_layer(layer, **settings)


def test_targets_out_of_reach_are_warned_of_wherever_they_come():
    assert FromSweep is TargetRangeWarning
    message = r"between .* and .*, beyond what some units can reach: sigmoid reaches 0 to 1. Rescale"
    memory, layer = AssociativeMemory(6, 4), new_layer()
    network = Autoencoder.create(6, 3, output_activation="sigmoid", rng=RNG)
    calls = (
        lambda: memory.store(X, 2 * T - 1),
        lambda: AssociativeMemory(6, auto="layer").store(2 * X),
        lambda: AssociativeMemory(6, auto="autoencoder", n_hidden=2).store(2 * X),
        lambda: train(layer, X, 2 * T - 1),
        lambda: train(network, 2 * X),
        lambda: sweep.sweep(X, 2 * T - 1, rules="hebb", activations="sigmoid", learning_rates=[0.1]),
    )
    for call in calls:
        with pytest.warns(TargetRangeWarning, match=message) as found:
            call()
        assert [warning.filename for warning in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        memory.store(X, T)
        AssociativeMemory(6, 4, activation="linear").store(X, 2 * T - 1)
        train(new_layer(activation="tanh"), X, 2 * T - 1)
        train(new_layer(), X, np.sign(T - 0.5), error="leaky_hinge")  # labels, not levels


def test_a_warning_that_is_an_error_changes_nothing():
    memory, layer = AssociativeMemory(6, 4), new_layer()
    before = memory.network.weights.copy(), layer.weights.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for learn in (lambda: memory.store(X, 2 * T), lambda: train(layer, X, 2 * T)):
            with pytest.raises(TargetRangeWarning):
                learn()
    np.testing.assert_array_equal(memory.network.weights, before[0])
    np.testing.assert_array_equal(layer.weights, before[1])
    assert memory.n_stored == 0


@pytest.mark.parametrize("theirs", NAMES)
def test_names_of_other_libraries_are_understood(theirs):
    assert get_activation(theirs) is get_activation(NAMES[theirs])
    assert AssociativeMemory(3, 2, activation=theirs.upper()).network.activation.name == NAMES[theirs]
    assert theirs not in ACTIVATIONS


def test_their_parameters_are_understood_as_well():
    ours = get_activation("leaky_rectifier", slope=0.125)
    assert get_activation("leaky_relu", negative_slope=0.125) is ours
    with pytest.raises(ValueError, match=r"Did you mean 'sigmoid'\?"):
        get_activation("sigmiod")
