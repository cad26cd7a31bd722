"""Products without zeros are the products of the whole, centered patterns, whatever their sizes."""

import numpy as np
import pytest

from hebbian_descent.kernels.sparse_batches import (
    ROWS_IN_CACHE,
    by_input,
    by_pattern,
    copied,
    sparse_patterns,
)
from hebbian_descent.kernels.sparse_products import set_centered_product, subtract_centered_product

SIZES = [
    (1, 1, 1),
    (9, 30, 2),
    (5, ROWS_IN_CACHE + 1, 3),  # two blocks of inputs
    (ROWS_IN_CACHE + 1, 20, 5),  # two parts of the batch
    (2 * ROWS_IN_CACHE + 50, 230, 9),
]


def draw(n, n_inputs, n_panels, dtype):
    """Return twice as many patterns as are taken, which ones, an offset, weights and factors."""
    rng = np.random.default_rng(0)
    patterns = np.where(rng.random((2 * n, n_inputs)) < 0.3, rng.normal(size=(2 * n, n_inputs)), 0)
    patterns[0] = 0
    patterns[:, 0] = 0
    n_columns = n_panels * 64 // np.dtype(dtype).itemsize
    offset, weights, post = (
        rng.normal(size=size).astype(dtype) for size in (n_inputs, (n_inputs, n_columns), (n, n_columns))
    )
    rows = np.append(rng.permutation(np.arange(1, 2 * n))[: n - 1], 0)
    return patterns.astype(dtype), rows, offset, weights, post


def entries_of(patterns):
    return sparse_patterns(patterns, np.count_nonzero(patterns))


def rounding(n_terms, dtype):
    """Return by how much sums of so many terms of the order of 1 may differ, taken in another order."""
    return 10 * n_terms * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "n_inputs", "n_panels"), SIZES)
def test_activities_are_the_product_of_centered_patterns(n, n_inputs, n_panels, dtype):
    patterns, rows, offset, weights, _ = draw(n, n_inputs, n_panels, dtype)
    found = np.full((n, weights.shape[1]), np.nan, dtype)
    batch = by_pattern(entries_of(patterns), rows)
    set_centered_product(found, batch, offset, weights)
    expected = (patterns[rows].astype(np.float64) - offset) @ weights
    np.testing.assert_allclose(found, expected, rtol=0, atol=rounding(n + n_inputs, dtype))


@pytest.mark.parametrize("keep", [1.0, 0.9, 0.0, -1.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "n_inputs", "n_panels"), SIZES)
def test_weights_change_by_the_product_of_centered_patterns(n, n_inputs, n_panels, dtype, keep):
    patterns, rows, offset, weights, post = draw(n, n_inputs, n_panels, dtype)
    expected = keep * weights - (patterns[rows].astype(np.float64) - offset).T @ post
    batch = by_input(entries_of(patterns), rows, offset)
    subtract_centered_product(weights, weights.dtype.type(keep), batch, post)
    np.testing.assert_allclose(weights, expected, rtol=0, atol=rounding(n + n_inputs, dtype))


def test_a_copy_gives_the_same_bits():
    patterns, rows, offset, weights, _ = draw(9, 130, 2, np.float64)
    batch = by_pattern(entries_of(patterns), rows)
    there, copy = np.empty((9, 16)), np.empty((9, 16))
    set_centered_product(there, batch, offset, weights)
    set_centered_product(copy, copied(batch), offset, weights)
    np.testing.assert_array_equal(there, copy)


def test_a_column_has_the_same_bits_wherever_it_stands():
    patterns, rows, offset, weights, post = draw(120, 130, 7, np.float32)
    sparse = entries_of(patterns)
    forward, back = by_pattern(sparse, rows), by_input(sparse, rows, offset)
    moved = np.ascontiguousarray(weights[:, 16:64])
    whole, part = np.empty_like(post), np.empty_like(post[:, 16:64])
    set_centered_product(whole, forward, offset, weights)
    set_centered_product(part, forward, offset, moved)
    np.testing.assert_array_equal(whole[:, 16:64], part)
    subtract_centered_product(weights, np.float32(0.9), back, post)
    subtract_centered_product(moved, np.float32(0.9), back, np.ascontiguousarray(post[:, 16:64]))
    np.testing.assert_array_equal(weights[:, 16:64], moved)


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_weights_that_are_not_finite_show_even_where_an_input_is_always_zero(value):
    patterns, rows, offset, weights, _ = draw(5, 30, 1, np.float64)
    offset[:], weights[0, 3] = 0, value
    found = np.empty((5, weights.shape[1]))
    set_centered_product(found, by_pattern(entries_of(patterns), rows), offset, weights)
    assert np.isnan(found[:, 3]).all()
    assert np.isfinite(np.delete(found, 3, axis=1)).all()


@pytest.mark.parametrize("n_columns", [8, 11, 33, 37, 77])
def test_activities_need_not_fill_panels(n_columns):
    patterns, rows, offset, weights, _ = draw(9, 30, 10, np.float64)
    batch, found = by_pattern(entries_of(patterns), rows), np.full((9, n_columns), np.nan)
    set_centered_product(found, batch, offset, np.ascontiguousarray(weights[:, :n_columns]))
    whole = np.empty((9, weights.shape[1]))
    set_centered_product(whole, batch, offset, weights)
    np.testing.assert_array_equal(found, whole[:, :n_columns])
