"""Compiled products of whole matrices agree with NumPy's, and treat every column alike."""

import numpy as np
import pytest

from hebbian_descent.kernels.whole_products import keep_and_add_product, set_product, whole_patterns

DTYPES = (np.float32, np.float64)


def in_panels(rng, n_rows, n_panels, dtype):
    return rng.normal(size=(n_rows, n_panels * 64 // np.dtype(dtype).itemsize)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_rows", [1, 5, 6, 7, 18])
@pytest.mark.parametrize("n_terms", [0, 1, 40])
def test_products_agree_with_numpy(dtype, n_rows, n_terms):
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(n_rows, n_terms)).astype(dtype)
    terms, weights = in_panels(rng, n_terms, 3, dtype), in_panels(rng, n_rows, 3, dtype)
    tolerance = {"rtol": 0, "atol": 100 * np.finfo(dtype).eps}
    out = np.full_like(weights, np.nan)
    set_product(out, factors, terms)
    np.testing.assert_allclose(out, factors @ terms, **tolerance)
    for keep in (1, 0.75):
        changed = weights.copy()
        keep_and_add_product(changed, dtype(keep), factors, terms)
        np.testing.assert_allclose(changed, keep * weights + factors @ terms, **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_column_has_the_same_bits_wherever_it_stands(dtype):
    rng = np.random.default_rng(1)
    factors, terms = rng.normal(size=(13, 50)).astype(dtype), in_panels(rng, 50, 4, dtype)
    order = rng.permutation(terms.shape[1])
    out, elsewhere = (np.empty((13, terms.shape[1]), dtype) for _ in range(2))
    set_product(out, factors, terms)
    set_product(elsewhere, factors, np.ascontiguousarray(terms[:, order]))
    np.testing.assert_array_equal(elsewhere, out[:, order])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (16, 32), (17, 5), (40, 33)])
def test_patterns_are_centered_and_turned(dtype, shape):
    rng = np.random.default_rng(2)
    patterns, offset = rng.random((50, shape[1])).astype(dtype), rng.random(shape[1]).astype(dtype)
    rows = rng.permutation(50)[: shape[0]]
    centered, turned = whole_patterns(patterns, rows, offset, learns=True)
    np.testing.assert_array_equal(centered, patterns[rows] - offset)
    np.testing.assert_array_equal(turned, -centered.T)
    evaluated = whole_patterns(patterns, rows, offset, learns=False)
    np.testing.assert_array_equal(evaluated.centered, centered)
    assert evaluated.turned.size == 0
