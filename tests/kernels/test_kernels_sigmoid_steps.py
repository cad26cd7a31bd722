"""A learning step of sigmoid units in vectors is that of a loop over units, bit for bit."""

import numba
import numpy as np
import pytest

from hebbian_descent.kernels.exponential import logistic
from hebbian_descent.kernels.intrinsics import fused_multiply_add
from hebbian_descent.kernels.panels import PANEL_BYTES
from hebbian_descent.kernels.sigmoid_steps import learn_sigmoid_step

WEIGHTS = np.array([0.7, -1.3, 0.2])


@numba.njit(error_model="numpy")
def in_vectors(pulls_back, eta, weights, earlier, a, t, p, summed):
    return learn_sigmoid_step(pulls_back, eta, weights, earlier, a, t, p, summed)


@numba.njit(error_model="numpy")
def one_by_one(pulls_back, eta, weights, earlier, a, t, p, summed):
    for unit in range(a.size):
        for step in range(weights.size):
            a[unit] = fused_multiply_add(weights[step], earlier[step, unit], a[unit])
        h = logistic(a[unit])
        post = h - t[unit]
        if pulls_back:
            post *= h * (type(h)(1) - h)
        p[unit] = -eta * post
        summed[unit] += p[unit]
    return False


def rows_of(n_rows, n_panels, dtype):
    shape = (n_rows, n_panels * PANEL_BYTES // np.dtype(dtype).itemsize)
    return np.random.default_rng(n_panels).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("pulls_back", [False, True])
@pytest.mark.parametrize(("n_panels", "n_earlier"), [(1, 0), (1, 2), (2, 3), (5, 0), (5, 3), (8, 1)])
def test_vectors_give_the_bits_of_a_loop(n_panels, n_earlier, pulls_back, dtype):
    a, t, summed, *earlier = rows_of(3 + n_earlier, n_panels, dtype)
    weights, earlier = (
        WEIGHTS[:n_earlier].astype(dtype),
        np.reshape(earlier, (n_earlier, a.size)).astype(dtype),
    )
    found = []
    for step in (in_vectors, one_by_one):
        activities, change, total = 20 * a, np.full_like(a, np.nan), 3 * summed
        assert not step(pulls_back, dtype(0.3), weights, earlier, activities, t, change, total)
        found.append((activities, change, total))
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("value", [1.1e6, -1.1e6, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("unit", [0, -1])
def test_one_activity_beyond_the_largest_is_told(unit, value, dtype):
    a, t, p, summed = rows_of(4, 3, dtype)
    a[unit] = value
    assert in_vectors(False, dtype(0.3), np.empty(0, dtype), np.empty((0, a.size), dtype), a, t, p, summed)
