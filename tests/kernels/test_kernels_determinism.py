"""A run gives the same bits alone and among others, on one thread and on several."""

import numpy as np
import pytest

from hebbian_descent.kernels.panels import PANEL_BYTES
from hebbian_descent.kernels.plan import groups_of_trials, padded, strips_of_units
from hebbian_descent.kernels.sequence import run_sequence
from hebbian_descent.kernels.specification import RULES, OnlineLearning

N_INPUTS, N_OUTPUTS = 37, 203
RATES = np.geomspace(0.01, 2, 7)
LEARNINGS = [
    OnlineLearning(rule, activation, weight_decay=decay, shift=shift, offset=0.5, dtype=dtype)
    for rule in RULES
    for activation, decay, shift, dtype in [
        ("sigmoid", 0.0, 0.0, np.float64),
        ("sigmoid", 0.1, 0.05, np.float32),
        ("softmax", 0.0, 0.0, np.float32),
    ]
]


def weights_of(trial):
    return np.random.default_rng([11, trial]).normal(size=(N_INPUTS, N_OUTPUTS)) * 0.1


def run(learning, **options):
    rng = np.random.default_rng(5)
    inputs, targets = rng.random((29, N_INPUTS)), rng.random((29, N_OUTPUTS))
    settings = {"learning_rates": RATES, "trials": range(10)} | options
    return run_sequence(learning, inputs, targets, initial_weights=weights_of, **settings)


@pytest.mark.parametrize("learning", LEARNINGS, ids=lambda learning: f"{learning.rule}-{learning.activation}")
def test_bits_depend_on_nothing_but_the_run(learning):
    errors = run(learning, threads=1).errors
    assert np.array_equal(run(learning, threads=2).errors, errors)
    assert np.array_equal(run(learning, threads=5, memory_budget=300_000).errors, errors)
    assert np.array_equal(run(learning, trials=[7]).errors[:, 0], errors[:, 7])
    assert np.array_equal(run(learning, learning_rates=RATES[3]).errors[0], errors[3])


def test_lists_and_functions_of_weights_are_the_same():
    rng = np.random.default_rng(5)
    inputs, targets = rng.random((29, N_INPUTS)), rng.random((29, N_OUTPUTS))
    listed = run_sequence(
        LEARNINGS[0], inputs, targets, initial_weights=[weights_of(i) for i in range(3)], learning_rates=RATES
    )
    assert np.array_equal(run(LEARNINGS[0], trials=range(3)).errors, listed.errors)


@pytest.mark.parametrize("n_units", [1, 7, 8, 200, 203, 784, 1025])
@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize("n_steps", [1, 100, 5000])
def test_strips_cover_all_units_once_in_whole_panels(n_units, itemsize, n_steps):
    strips = strips_of_units(n_units, n_steps, itemsize, coupled=False)
    assert [unit for strip in strips for unit in range(strip.start, strip.stop)] == list(range(n_units))
    assert all(strip.start % (PANEL_BYTES // itemsize) == 0 for strip in strips)
    assert strips_of_units(n_units, n_steps, itemsize, coupled=True) == [slice(0, n_units)]


@pytest.mark.parametrize("itemsize", [4, 8])
def test_rows_of_panels_spread_over_the_cache(itemsize):
    for n_units in range(1, 300):
        n_panels, rest = divmod(padded(n_units, itemsize) * itemsize, PANEL_BYTES)
        assert rest == 0
        assert n_panels % 8
        assert 0 <= padded(n_units, itemsize) - n_units < 2 * PANEL_BYTES // itemsize


def test_at_least_one_trial_runs_at_a_time():
    assert list(groups_of_trials(range(5), bytes_per_trial=10, memory_budget=25)) == [
        range(2),
        range(2, 4),
        range(4, 5),
    ]
    assert len(list(groups_of_trials(range(5), bytes_per_trial=10, memory_budget=1))) == 5
