"""The product in registers equals that of NumPy, for every number of rows and any part of larger matrices."""

import numpy as np
import pytest

from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.panel_product import BLOCK_ROWS, add_product
from hebbian_descent.kernels.panels import PANEL_BYTES


@inlined
def product(out, start, coefficients, terms):
    add_product(out, start, coefficients, terms)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_rows", range(1, BLOCK_ROWS + 1))
def test_product_equals_numpy(n_rows, dtype):
    rng = np.random.default_rng(0)
    width = 3 * PANEL_BYTES // np.dtype(dtype).itemsize
    start, terms = rng.random((9, width)).astype(dtype), rng.random((11, width)).astype(dtype)
    coefficients = rng.random((10, 20)).astype(dtype)
    for n_terms in (0, 1, 11):
        out = np.zeros((8, width), dtype)
        rows, factors = slice(2, 2 + n_rows), coefficients[3 : 3 + n_rows, 4 : 4 + n_terms]
        product(out[1 : 1 + n_rows], start[rows], factors, terms[:n_terms])
        expected = start[rows] + factors @ terms[:n_terms]
        np.testing.assert_allclose(out[1 : 1 + n_rows], expected, rtol=20 * np.finfo(dtype).eps)
        assert not out[0].any()
        assert not out[1 + n_rows :].any()
