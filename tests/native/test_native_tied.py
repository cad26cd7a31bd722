"""The passes of auto-encoders: compiled and in NumPy they compute the same, and v3 and v4 the same bits."""

import numpy as np
import pytest

from hebbian_descent.engines import tied_passes
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION as LIMIT
from hebbian_descent.network import ACTIVATIONS, get_activation
from hebbian_descent.rules import ERROR_TERMS, get_error_term

TOLERANCE = {np.float64: 1e-12, np.float32: 2e-5}
"""Of sums over a few patterns of numbers of about 1."""


def drawn(dtype, *shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def hidden(run, dtype, n=5, n_hidden=21):
    one, other, bias, offset = drawn(dtype, (n, n_hidden), (n, n_hidden), n_hidden, n_hidden)
    a, h, centered = np.empty((3, n, n_hidden), dtype)
    sums = np.full(n_hidden, 7, dtype)
    assert not run(one, other, bias, offset, a, h, centered, sums)
    return a, h, centered, sums


def errors(run, dtype, n=5, n_inputs=21):
    found, bias = drawn(dtype, (n, n_inputs), n_inputs)
    x = np.where(np.random.default_rng(1).random((n, n_inputs)) < 0.5, -1, 1).astype(dtype)
    sums = np.full(n_inputs, 7, dtype)
    assert not run(found, bias, x, np.empty((2, n_inputs), dtype), sums)
    return found, sums


def pulled(run, activation, dtype, n=5, n_hidden=21):
    one, other, a = drawn(dtype, *[(n, n_hidden)] * 3)
    found, sums = np.empty_like(a), np.full(n_hidden, 7, dtype)
    run(one, other, a, activation(a), found, sums)
    return found, sums


def updated(run, dtype, decay=0.01, shift=0.01, n_inputs=9, n_hidden=21):
    W, change, c, sums, lam, sums_of_h = drawn(
        dtype, (n_inputs, n_hidden), (n_inputs, n_hidden), n_inputs, n_inputs, n_hidden, (2, n_hidden)
    )
    W[0, :3] = 1e-40 if dtype is np.float32 else 1e-310
    change[0, :3] = 0
    move = np.zeros(n_hidden, dtype)
    run(W, change, decay, 0.1, c, sums, lam, move, sums_of_h, shift, 10)
    return W, c, lam, move


def assert_same(found, expected, tolerance):
    for array, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(array, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_hidden_units(core, unit, dtype):
    activation = get_activation(unit)
    compiled = hidden(
        lambda *arrays: core.activate_hidden(unit, dict(activation.parameters), LIMIT, *arrays), dtype
    )
    plain = hidden(lambda *arrays: tied_passes.activate(activation, *arrays), dtype)
    assert_same(compiled, plain, TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("pulls_back", [False, True])
@pytest.mark.parametrize("term", ERROR_TERMS)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_errors(core, unit, term, pulls_back, dtype):
    activation, error = get_activation(unit), get_error_term(term)
    names = (unit, dict(activation.parameters), LIMIT, term, dict(error.parameters))
    compiled = errors(lambda *arrays: core.find_errors(*names, pulls_back, *arrays), dtype)
    plain = errors(lambda *arrays: tied_passes.find_errors(activation, error, pulls_back, *arrays), dtype)
    assert_same(compiled, plain, TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_errors_of_hidden_units(core, unit, dtype):
    activation = get_activation(unit)
    names = (unit, dict(activation.parameters))
    compiled = pulled(lambda *arrays: core.pull_back_hidden(*names, *arrays), activation, dtype)
    plain = pulled(lambda *arrays: tied_passes.pull_back(activation, *arrays), activation, dtype)
    assert_same(compiled, plain, TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shift", [0.0, 0.01])
@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_updates(core, decay, shift, dtype):
    compiled = updated(core.update_tied, dtype, decay, shift)
    assert_same(compiled, updated(tied_passes.update, dtype, decay, shift), TOLERANCE[dtype])
    assert bool(compiled[0][0, :3].any()) == (decay == 0)  # what decays to nothing is 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.1e6, -1.1e6])
def test_what_is_beyond_the_limit_is_seen(core, value):
    for lane in (0, 20):
        arrays = [np.zeros((3, 21)) for _ in range(2)]
        arrays[0][2, lane] = value
        rows = [np.zeros(21), np.zeros(21), *np.zeros((3, 3, 21)), np.zeros(21)]
        assert core.activate_hidden("linear", {}, LIMIT, *arrays, *rows)
        rows = [np.zeros(21), np.zeros((3, 21)), np.zeros((2, 21)), np.zeros(21)]
        assert core.find_errors("linear", {}, LIMIT, "difference", {}, False, arrays[0], *rows)


def sparse_product(core, dtype, given, n_inputs, n_hidden, first=3):
    rng = np.random.default_rng(n_inputs)
    patterns = np.where(rng.random((30, n_inputs + first)) < 0.3, rng.random((30, n_inputs + first)), 0)
    W, mu = drawn(dtype, (n_inputs, n_hidden), n_inputs)
    rows = rng.permutation(30)[:11]
    kind = core.SparsePatterns32 if dtype is np.float32 else core.SparsePatterns64
    sparse = kind(patterns.astype(given), first, first + n_inputs)
    out, x = np.full((11, n_hidden), np.nan, dtype), np.full((11, n_inputs), np.nan, dtype)
    sparse.multiply(rows, W, -(mu @ W), out)
    sparse.fill(rows, x)
    return x, out, patterns.astype(given)[rows, first:], mu, W


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("given", TOLERANCE)
@pytest.mark.parametrize(
    ("n_inputs", "n_hidden"), [(0, 5), (1, 1), (99, 16), (100, 64), (101, 70), (300, 133)]
)
def test_inputs_without_zeros(core, n_inputs, n_hidden, given, dtype):
    x, out, patterns, mu, W = sparse_product(core, dtype, given, n_inputs, n_hidden)
    np.testing.assert_array_equal(x, patterns.astype(dtype))
    expected = (x.astype(float) - mu) @ W.astype(float)
    np.testing.assert_allclose(out, expected, rtol=0, atol=30 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_both_levels_give_the_same_bits(two_levels, dtype):
    for unit in ACTIVATIONS:
        activation = get_activation(unit)
        names = (unit, dict(activation.parameters))
        results = [
            (
                *hidden(
                    lambda *arrays, level=level, names=names: level.activate_hidden(*names, LIMIT, *arrays),
                    dtype,
                ),
                *errors(
                    lambda *arrays, level=level, names=names: level.find_errors(
                        *names, LIMIT, "saturating", {"saturation": 1.0, "steepness": 2.0}, True, *arrays
                    ),
                    dtype,
                ),
                *pulled(
                    lambda *arrays, level=level, names=names: level.pull_back_hidden(*names, *arrays),
                    activation,
                    dtype,
                ),
                *updated(level.update_tied, dtype),
                *sparse_product(level, dtype, np.float64, 101, 70)[:2],
            )
            for level in two_levels
        ]
        for one, other in zip(*results, strict=True):
            np.testing.assert_array_equal(one, other)


def test_an_array_of_another_precision_is_refused(core):
    """A converted copy would take up the results, and they would be lost."""
    W, change = np.zeros((2, 3), np.float32), np.zeros((2, 3))
    with pytest.raises(TypeError):
        core.update_tied(W, change, 0.1, 0.1, *np.zeros((2, 2)), *np.zeros((2, 3)), np.zeros((2, 3)), 0.1, 1)
