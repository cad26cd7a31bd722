"""The same bits whatever else is run with a trial, and on any number of threads."""

import numpy as np
import pytest

from hebbian_descent.engines.choice import ENGINES
from hebbian_descent.sweep import AutoencoderGrid, LayerGrid, Patterns, sweep, sweep_autoencoders

GRID = {
    "rules": ["hebbian_descent", "gradient_descent"],
    "activations": ["sigmoid", "softmax"],
    "learning_rates": (1.0, 0.1, 0.01),
    "weight_decays": (0.0, 0.1),
}


@pytest.mark.parametrize(
    "options",
    [{}, {"batch_size": 5, "epochs": 2}, {"batch_size": 10, "epochs": 2}, {"centering": "moving"}],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_trial_7_alone_is_trial_7_of_ten(options, dtype, pairs):
    ten = sweep(*pairs, trials=10, dtype=dtype, **GRID, **options)
    alone = sweep(*pairs, trials=[7], dtype=dtype, **GRID, **options)
    np.testing.assert_array_equal(alone.values["mae"][..., 0, :], ten.values["mae"][..., 7, :])


def test_trials_differ_and_seeds_differ(pairs):
    grid = {"rules": "hebbian_descent", "activations": "sigmoid", "learning_rates": 0.1}
    first, second = (sweep(*pairs, trials=2, seed=seed, **grid).values["mae"] for seed in (0, 1))
    assert (first[..., 0, :] != first[..., 1, :]).any()
    assert (first != second).any()
    np.testing.assert_array_equal(first, sweep(*pairs, trials=2, seed=0, **grid).values["mae"])


@pytest.mark.parametrize("engine", ["sequence", "stacked"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_layers_have_the_same_bits_on_any_number_of_threads(engine, dtype):
    rng = np.random.default_rng(0)
    patterns = Patterns.of(rng.random((50, 33)), rng.random((50, 71)))
    setting = LayerGrid.of(
        rules="hebbian_descent",
        activations="sigmoid",
        trials=4,
        dtype=dtype,
        learning_rates=(1.0, 0.3, 0.1, 0.03, 0.01),
    )
    (cell,) = setting.cells()
    one, two, five = (
        ENGINES[engine](cell, setting, patterns, threads=threads, memory_budget=2**30)
        for threads in (1, 2, 5)
    )
    np.testing.assert_array_equal(one.values["mae"], two.values["mae"])
    np.testing.assert_array_equal(one.values["mae"], five.values["mae"])


@pytest.mark.parametrize("trials", [1, 4])
@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_autoencoders_have_the_same_bits_on_any_number_of_threads(dtype, rule, trials):
    rng = np.random.default_rng(0)
    patterns = Patterns.of(*[rng.random((60, 45))] * 2)
    setting = AutoencoderGrid.of(
        rules=rule,
        hidden_activations="sigmoid",
        output_activations="linear",
        n_hidden=11,
        learning_rates=0.1,
        trials=trials,
        epochs=2,
        batch_size=8,
        dtype=dtype,
    )
    (cell,) = setting.cells()
    one, two, three = (
        ENGINES["tied"](cell, setting, patterns, threads=threads, memory_budget=2**30)
        for threads in (1, 2, 3)
    )
    np.testing.assert_array_equal(one.values["mae"], two.values["mae"])
    np.testing.assert_array_equal(one.values["mae"], three.values["mae"])


def test_an_autoencoders_trial_alone_is_that_trial_of_many(pairs):
    grid = {
        "rules": "hebbian_descent",
        "hidden_activations": "sigmoid",
        "output_activations": "linear",
        "n_hidden": 4,
        "learning_rates": (0.5, 0.1),
        "epochs": 2,
        "batch_size": 5,
    }
    many, alone = (sweep_autoencoders(pairs[0], trials=trials, **grid) for trials in (4, [3]))
    np.testing.assert_array_equal(alone.values["mae"][..., 0, :], many.values["mae"][..., 3, :])


def test_a_small_memory_budget_changes_tiles_and_not_the_result():
    rng = np.random.default_rng(0)
    x, t = rng.random((40, 300)), rng.random((40, 200))
    grid = {
        "rules": "hebbian_descent",
        "activations": "sigmoid",
        "learning_rates": (0.5, 0.1, 0.05, 0.01),
        "trials": 3,
    }
    for options in ({}, {"batch_size": 8}):
        large, small = (sweep(x, t, memory_budget=budget, **grid, **options) for budget in (2**30, 2**20))
        np.testing.assert_allclose(small.values["mae"], large.values["mae"], rtol=1e-12)
