"""Compiled runs of auto-encoders learn as the plain loop does, and v3 and v4 give the same bits."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from hebbian_descent.engines.reference import training_of
from hebbian_descent.engines.tied import TiedRun, inputs_of
from hebbian_descent.network import ACTIVATIONS, get_activation
from hebbian_descent.rules import ERROR_TERMS
from hebbian_descent.sweep import AutoencoderGrid, Patterns

TOLERANCE = {np.float64: 1e-13, np.float32: 1e-5}
"""Of a few steps with numbers of about 1."""

ELEMENTWISE = [name for name in ACTIVATIONS if get_activation(name).elementwise]
RULES = ("hebbian_descent", "gradient_descent", "hebb")


def drawn(n_patterns, n_inputs, *, share=1.0):
    rng = np.random.default_rng(n_inputs)
    patterns = np.where(
        rng.random((n_patterns, n_inputs)) < share, rng.uniform(-1, 1, (n_patterns, n_inputs)), 0
    )
    return Patterns.of(patterns, patterns)


def settings(dtype=np.float64, **options):
    grid = AutoencoderGrid.of(
        **{
            "rules": "hebbian_descent",
            "hidden_activations": "sigmoid",
            "output_activations": "linear",
            "n_hidden": 21,
            "learning_rates": 0.05,
            "trials": 1,
            "epochs": 2,
            "batch_size": 8,
            "weight_decays": 0.01,
            "hidden_shift": 0.02,
            "dtype": dtype,
            **options,
        }
    )
    (cell,) = grid.cells()
    return cell, grid


def learned(native, cell, grid, patterns):
    """Return the parameters after learning, and what becomes of three patterns."""
    network = grid.start(cell, patterns, grid.trials[0])
    with ThreadPoolExecutor(1) as pool:
        inputs = inputs_of(native, grid, patterns, pool)
    run = TiedRun(native, cell, grid, grid.learning_rates[0], network, inputs, Event())
    run.learn()
    return *parameters(network), *run.respond(patterns.inputs[2:5].astype(grid.dtype))


def learned_plainly(cell, grid, patterns):
    network = grid.start(cell, patterns, grid.trials[0])
    training_of(cell, grid, grid.learning_rates[0]).run(network, patterns.inputs, epochs=grid.epochs)
    hidden = network.infer_hidden(patterns.inputs[2:5].astype(grid.dtype))[1]
    return *parameters(network), hidden, network.infer_inputs(hidden)[1]


def parameters(network):
    return network.weights, network.bias, network.decoder_bias, network.hidden_offset


def assert_agree(native, patterns, dtype=np.float64, **options):
    cell, grid = settings(dtype, **options)
    pairs = zip(learned(native, cell, grid, patterns), learned_plainly(cell, grid, patterns), strict=True)
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("hidden", ACTIVATIONS)
def test_hidden_units(core, hidden, rule, dtype):
    assert_agree(core, drawn(30, 23), dtype, rules=rule, hidden_activations=hidden, learning_rates=0.01)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("term", ERROR_TERMS)
@pytest.mark.parametrize("output", ELEMENTWISE)
def test_output_units_and_error_terms(core, output, term, rule):
    assert_agree(core, drawn(30, 23), rules=rule, output_activations=output, error=term, learning_rates=0.01)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("share", [0.3, 1.0], ids=["sparse", "whole"])
@pytest.mark.parametrize("n", [1, 7, 8, 33, 130])
@pytest.mark.parametrize("rule", RULES)
def test_batches_of_all_sizes(core, rule, n, share, dtype):
    assert_agree(core, drawn(150, 23, share=share), dtype, rules=rule, batch_size=n, learning_rates=0.01)


@pytest.mark.parametrize("share", [0.3, 1.0], ids=["sparse", "whole"])
@pytest.mark.parametrize(
    ("n_inputs", "n_hidden"), [(1, 1), (2, 5), (99, 16), (100, 64), (201, 70), (430, 133)]
)
def test_networks_of_all_sizes(core, n_inputs, n_hidden, share):
    patterns = drawn(40, n_inputs, share=share)
    for rule in RULES:
        assert_agree(core, patterns, rules=rule, n_hidden=n_hidden, learning_rates=0.01)


@pytest.mark.parametrize("shift", [0.0, 0.05])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_decay_and_offsets(core, decay, shift):
    for rule in RULES:
        assert_agree(core, drawn(30, 23), rules=rule, weight_decays=decay, hidden_shift=shift)


def test_weights_that_decay_to_nothing_become_zero(core):
    cell, grid = settings(learning_rates=1e-300, weight_decays=0.9, epochs=400)
    weights, *_ = learned(core, cell, grid, drawn(8, 5))
    assert not weights.any()


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("share", [0.3, 1.0], ids=["sparse", "whole"])
@pytest.mark.parametrize("rule", RULES)
def test_both_levels_give_the_same_bits(two_levels, rule, share, dtype):
    for activation in ELEMENTWISE:
        units = {"hidden_activations": activation, "output_activations": activation}
        for n in (3, 130):
            cell, grid = settings(
                dtype, rules=rule, **units, error="saturating", batch_size=n, learning_rates=1e-4
            )
            patterns = drawn(140, 150, share=share)
            for one, other in zip(*(learned(core, cell, grid, patterns) for core in two_levels), strict=True):
                np.testing.assert_array_equal(one, other)


def test_an_array_of_another_precision_is_refused(core):
    """A converted copy would take up the results, and they would be lost."""
    cell, grid = settings(np.float32)
    patterns = drawn(8, 5)
    network = grid.start(cell, patterns, grid.trials[0])
    with ThreadPoolExecutor(1) as pool:
        run = TiedRun(core, cell, grid, 0.1, network, inputs_of(core, grid, patterns, pool), Event())
    with pytest.raises(TypeError):
        run.compiled.write(np.zeros((5, 21)), *np.zeros((1, 5), np.float32), *np.zeros((2, 21), np.float32))
