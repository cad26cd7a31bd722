"""A run gives the same bits alone and among others, on one thread and on several, in any memory."""

import numpy as np
import pytest

from hebbian_descent.aligned import VECTOR_BYTES, row_length
from hebbian_descent.engines.network_grids import LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.sequence import groups_of_trials, sequence, unit_blocks

RATES = tuple(np.geomspace(0.01, 2, 7))
SETTINGS = [
    {"rules": rule, "activations": activation, "weight_decays": decay, "centering": centering, "dtype": dtype}
    for rule in ("hebbian_descent", "gradient_descent", "hebb", "covariance")
    for activation, decay, centering, dtype in [
        ("sigmoid", 0.0, "mean", np.float64),
        ("sigmoid", 0.1, "moving", np.float32),
        ("softmax", 0.0, None, np.float32),
    ]
]


def run(settings, threads=1, memory_budget=2**30, **options):
    rng = np.random.default_rng(5)
    patterns = Patterns.of(rng.random((29, 37)), rng.random((29, 203)))
    setting = LayerGrid.of(**{"learning_rates": RATES, "trials": 10, **settings, **options})
    (cell,) = setting.cells()
    return sequence(cell, setting, patterns, threads=threads, memory_budget=memory_budget).values["mae"]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda given: f"{given['rules']}-{given['activations']}")
def test_bits_depend_on_nothing_but_the_run(settings):
    errors = run(settings)
    np.testing.assert_array_equal(run(settings, threads=2), errors)
    np.testing.assert_array_equal(run(settings, threads=5, memory_budget=300_000), errors)
    np.testing.assert_array_equal(run(settings, trials=[7])[:, 0], errors[:, 7])
    np.testing.assert_array_equal(run(settings, learning_rates=RATES[3])[0], errors[3])


@pytest.mark.parametrize("n_units", [1, 7, 8, 200, 203, 784, 1025])
@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize("n_steps", [1, 100, 5000])
def test_blocks_cover_all_units_once_in_whole_vectors(n_units, itemsize, n_steps):
    blocks = unit_blocks(n_units, n_steps, itemsize, coupled=False)
    assert [unit for block in blocks for unit in range(block.start, block.stop)] == list(range(n_units))
    assert all(block.start % (VECTOR_BYTES // itemsize) == 0 for block in blocks)
    assert unit_blocks(n_units, n_steps, itemsize, coupled=True) == [slice(0, n_units)]


@pytest.mark.parametrize("itemsize", [4, 8])
def test_rows_of_vectors_spread_over_the_cache(itemsize):
    for n_units in range(1, 300):
        n_vectors, rest = divmod(row_length(n_units, itemsize) * itemsize, VECTOR_BYTES)
        assert rest == 0
        assert n_vectors % 8
        assert 0 <= row_length(n_units, itemsize) - n_units < 2 * VECTOR_BYTES // itemsize


def test_at_least_one_trial_runs_at_a_time():
    assert list(groups_of_trials(range(5), bytes_per_trial=10, memory_budget=25)) == [
        range(2),
        range(2, 4),
        range(4, 5),
    ]
    assert len(list(groups_of_trials(range(5), bytes_per_trial=10, memory_budget=1))) == 5
