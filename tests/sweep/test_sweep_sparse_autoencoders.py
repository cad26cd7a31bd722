"""Auto-encoders take up inputs that are mostly zero without their zeros, and learn as in the plain loop."""

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS
from hebbian_descent.engines.choice import ENGINES
from hebbian_descent.engines.tied import leaves_out_zeros
from hebbian_descent.native import core
from hebbian_descent.sweep import AutoencoderGrid, Patterns

pytestmark = pytest.mark.skipif(core() is None, reason="`make native` builds the core")

ROWS_IN_CACHE = 100
"""Of the weights, as the compiled product takes them."""

RULES = ("hebbian_descent", "gradient_descent")


def draw(n_patterns=40, n_inputs=13):
    rng = np.random.default_rng(7)
    inputs = np.where(rng.random((n_patterns, n_inputs)) < 0.3, rng.random((n_patterns, n_inputs)), 0)
    inputs[:, 4] = 0  # as at the edge of an image
    inputs[0] = 0
    return inputs


SPARSE = draw()


def grid_of(**options):
    return AutoencoderGrid.of(
        **{
            "rules": RULES,
            "hidden_activations": "sigmoid",
            "output_activations": "linear",
            "n_hidden": 11,
            "learning_rates": (0.2, 0.05),
            "trials": 1,
            "epochs": 3,
            "batch_size": 12,  # the last one has 4
            **options,
        }
    )


def results_of(engine, threads, inputs=SPARSE, **options):
    grid, patterns = grid_of(**options), Patterns.of(inputs, inputs)
    assert leaves_out_zeros(grid, patterns)
    return [
        ENGINES[engine](cell, grid, patterns, threads=threads, memory_budget=2**30) for cell in grid.cells()
    ]


@pytest.mark.parametrize("output", ["linear", "sigmoid", "rectifier"])
@pytest.mark.parametrize("hidden", ACTIVATIONS)
def test_every_activation_centering_and_decay_agrees(hidden, output):
    compared = 0
    for centering in ("mean", None):
        options = {
            "hidden_activations": hidden,
            "output_activations": output,
            "weight_decays": (0.0, 0.01),
            "centering": centering,
        }
        pairs = zip(results_of("tied", 1, **options), results_of("reference", 1, **options), strict=True)
        for found, plain in pairs:
            np.testing.assert_array_equal(found.diverged_at, plain.diverged_at)
            tame = np.nan_to_num(plain.values["mae"].mean(axis=-1), nan=np.inf) < 0.6
            compared += tame.sum()
            for name, values in plain.values.items():
                np.testing.assert_allclose(
                    found.values[name][tame], values[tame], rtol=1e-9, atol=1e-11, err_msg=name
                )
    assert compared >= 8


SIZES = {
    "two blocks a half": (draw(n_inputs=2 * ROWS_IN_CACHE + 1), {}),
    "one input a half": (SPARSE[:, 3:5], {}),
    "one input": (SPARSE[:, :1], {}),
    "all patterns at once": (SPARSE, {"batch_size": 100}),
    "hidden units of one line": (SPARSE, {"n_hidden": 8}),
    "hidden units of many panels": (SPARSE, {"n_hidden": 77}),
    "half precision": (SPARSE.astype(np.float16), {}),
    "column by column": (np.asfortranarray(SPARSE), {}),
}


@pytest.mark.parametrize("size", SIZES)
def test_all_sizes_agree(size):
    inputs, options = SIZES[size]
    pairs = zip(
        results_of("tied", 2, inputs, **options),
        results_of("reference", 1, inputs, **options),
        strict=True,
    )
    for found, plain in pairs:
        for name, values in plain.values.items():
            np.testing.assert_allclose(found.values[name], values, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_threads(dtype):
    options = {"dtype": dtype, "n_hidden": 70, "learning_rates": 0.1, "weight_decays": 0.01}
    inputs = draw(n_inputs=2 * ROWS_IN_CACHE + 5)
    one, two, plain = (
        results_of(engine, threads, inputs, **options)
        for engine, threads in (("tied", 1), ("tied", 2), ("reference", 1))
    )
    for k in range(len(RULES)):
        np.testing.assert_array_equal(one[k].values["mae"], two[k].values["mae"])
        np.testing.assert_allclose(one[k].values["mae"], plain[k].values["mae"], rtol=1e-4)


@pytest.mark.parametrize("hidden", ["linear", "exponential"])
def test_the_step_of_divergence_is_that_of_the_plain_loop(hidden):
    options = {"hidden_activations": hidden, "learning_rates": tuple(np.geomspace(1, 1e300, 15))}
    pairs = zip(results_of("tied", 1, **options), results_of("reference", 1, **options), strict=True)
    for found, plain in pairs:
        np.testing.assert_array_equal(found.diverged_at, plain.diverged_at)
        assert (plain.diverged_at >= 0).any()


@pytest.mark.parametrize(
    ("inputs", "options"),
    [
        (SPARSE + 1, {}),
        (SPARSE, {"batch_size": 4}),
        (SPARSE[:4], {}),
    ],
    ids=["no zeros", "small batches", "few patterns"],
)
def test_whole_inputs_are_taken_where_that_is_as_fast(inputs, options):
    assert not leaves_out_zeros(grid_of(**options), Patterns.of(inputs, inputs))
