"""A product inside a compiled loop is the product that NumPy computes."""

import numba
import numpy as np
import pytest

from hebbian_descent.kernels.addresses import address_of_blas
from hebbian_descent.kernels.products_inside import multiply


@numba.njit
def compiled(product, C, beta, alpha, A, is_turned, B, other_is_turned):
    multiply(product, C, beta, alpha, A, is_turned, B, other_is_turned)


@pytest.mark.parametrize(("routine", "dtype"), [("sgemm", np.float32), ("dgemm", np.float64)])
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("other_is_turned", [False, True])
@pytest.mark.parametrize(
    ("n_rows", "n_terms", "n_columns"), [(1, 1, 1), (5, 7, 3), (4, 0, 3), (0, 2, 3), (2, 3, 0)]
)
def test_products(routine, dtype, is_turned, other_is_turned, n_rows, n_terms, n_columns):
    rng = np.random.default_rng(0)
    A, B, C = (
        rng.normal(size=s).astype(dtype)
        for s in ((n_rows, n_terms), (n_terms, n_columns), (n_rows, n_columns))
    )
    for beta, alpha in ((0, 1), (0.5, -2)):
        found = C.copy()
        handed_A, handed_B = (
            np.ascontiguousarray(M.T if turned else M) for M, turned in ((A, is_turned), (B, other_is_turned))
        )
        compiled(address_of_blas(routine), found, beta, alpha, handed_A, is_turned, handed_B, other_is_turned)
        np.testing.assert_allclose(found, beta * C + alpha * A @ B, rtol=1e-5, atol=1e-5)
