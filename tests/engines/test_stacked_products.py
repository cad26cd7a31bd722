"""Batches of the compiled core multiply and learn as NumPy does, and treat every column alike."""

from itertools import pairwise

import numpy as np
import pytest

from hebbian_descent.aligned import padded
from hebbian_descent.engines.patterns import sparse_patterns
from hebbian_descent.engines.stacked_inputs import PlainBatches
from hebbian_descent.native import core

pytestmark = pytest.mark.skipif(core() is None, reason="the compiled core is not there")

DTYPES = (np.float32, np.float64)
KINDS = ("dense", "sparse")
IN_CACHE = 100  # rows of a block of inputs, or of a part of a batch
SIZES = [
    (1, 1, 1),
    (9, 30, 2),
    (5, IN_CACHE + 1, 3),  # two blocks of inputs
    (IN_CACHE + 1, 20, 5),  # two parts of the batch
    (2 * IN_CACHE + 50, 230, 9),
]


def draw(n, n_inputs, n_lines, dtype):
    """Return twice as many patterns as are taken, which ones, where batches begin, offsets, weights and p."""
    rng = np.random.default_rng(0)
    patterns = np.where(rng.random((2 * n, n_inputs)) < 0.3, rng.normal(size=(2 * n, n_inputs)), 0)
    patterns[0] = 0
    patterns[:, 0] = 0
    n_columns = n_lines * 64 // np.dtype(dtype).itemsize
    rows = np.append(rng.permutation(np.arange(1, 2 * n))[: n - 1], 0)
    bounds = np.array([0, n // 2, n])  # a batch that may be empty, and one that is not
    offsets, weights, p = (
        rng.normal(size=size).astype(dtype) for size in ((2, n_inputs), (n_inputs, n_columns), (n, n_columns))
    )
    return patterns.astype(dtype), rows, bounds, offsets, padded(weights), p


def made(kind, patterns, rows, bounds, offsets):
    if kind == "sparse":
        return core().sparse_batches(
            sparse_patterns(core(), patterns, patterns.dtype), rows, bounds, offsets, True
        )
    return core().dense_batches(patterns, rows, bounds, offsets, None, True)


def rounding(n_terms, dtype):
    """Return by how much sums of so many terms of the order of 1 may differ, taken in another order."""
    return 10 * n_terms * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "n_inputs", "n_lines"), SIZES)
def test_products_are_those_of_the_twin(kind, n, n_inputs, n_lines, dtype):
    patterns, rows, bounds, offsets, weights, p = draw(n, n_inputs, n_lines, dtype)
    batches, start = made(kind, patterns, rows, bounds, offsets), p[0].copy()
    exact = PlainBatches(patterns.astype(float), rows, bounds, offsets.astype(float))
    tolerance = {"rtol": 0, "atol": rounding(n + n_inputs, dtype)}
    for batch, (begin, end) in enumerate(pairwise(bounds)):
        found = np.full((end - begin, p.shape[1]), np.nan, dtype)
        expected = np.empty(found.shape)
        batches.multiply(batch, weights, start, found)
        exact.multiply(batch, weights.astype(float), start, expected)
        np.testing.assert_allclose(found, expected, **tolerance)
        for keep in (1.0, 0.9, 0.0, -1.0):
            changed, as_expected = weights.copy(), weights.astype(float)
            batches.learn(batch, keep, p[begin:end], changed)
            exact.learn(batch, keep, p[begin:end].astype(float), as_expected)
            np.testing.assert_allclose(changed, as_expected, **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_presynaptic_factors_may_be_given(dtype):
    patterns, rows, bounds, offsets, weights, p = draw(40, 33, 3, dtype)
    pre = np.random.default_rng(1).normal(size=(40, 33)).astype(dtype)
    batches = core().dense_batches(patterns, rows, bounds, offsets, pre, True)
    expected = weights[:, : p.shape[1]] + pre[20:].T @ p[20:]
    batches.learn(1, 1.0, p[20:], weights)
    np.testing.assert_allclose(weights[:, : p.shape[1]], expected, rtol=0, atol=rounding(40, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_column_has_the_same_bits_wherever_it_stands(kind, dtype):
    patterns, rows, bounds, offsets, weights, p = draw(120, 130, 7, dtype)
    batches, n = made(kind, patterns, rows, bounds, offsets), p.shape[1]
    order = np.random.default_rng(1).permutation(n)[: n // 7 * 3]
    moved, start = padded(weights[:, order]), p[0].copy()
    whole, part = np.empty_like(p[60:]), np.empty((60, len(order)), dtype)
    batches.multiply(1, weights, start, whole)
    batches.multiply(1, moved, start[order], part)
    np.testing.assert_array_equal(part, whole[:, order])
    batches.learn(1, 0.9, p[60:], weights)
    batches.learn(1, 0.9, np.ascontiguousarray(p[60:, order]), moved)
    np.testing.assert_array_equal(moved[:, : len(order)], weights[:, order])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_weights_that_are_not_finite_show_even_where_an_input_is_always_zero(kind, value):
    patterns, rows, bounds, offsets, weights, _ = draw(10, 30, 1, np.float64)
    offsets[:], weights[0, 3] = 0, value
    found = np.empty((5, 8))
    made(kind, patterns, rows, bounds, offsets).multiply(1, weights, np.zeros(8), found)
    assert np.isnan(found[:, 3]).all()
    assert np.isfinite(np.delete(found, 3, axis=1)).all()


@pytest.mark.parametrize("n_columns", [1, 8, 9, 16, 127, 128])
def test_padded_rows_are_an_odd_number_of_cache_lines(n_columns):
    columns = np.random.default_rng(0).random((3, n_columns))
    wider = padded(columns)
    assert wider.strides[0] % 128 == 64
    assert wider.ctypes.data % 64 == 0
    np.testing.assert_array_equal(wider[:, :n_columns], columns)
    assert not wider[:, n_columns:].any()
