"""A learning step of sigmoid units in vectors is that of a loop over units, bit for bit."""

import numba
import numpy as np
import pytest

from hebbian_descent.kernels.exponential import logistic
from hebbian_descent.kernels.intrinsics import fused_multiply_add
from hebbian_descent.kernels.panels import PANEL_BYTES
from hebbian_descent.kernels.sigmoid_steps import learn_sigmoid_step


@numba.njit(error_model="numpy")
def in_vectors(pulls_back, eta, weight, previous, a, t, p, summed):
    learn_sigmoid_step(pulls_back, eta, weight, previous, a, t, p, summed)


@numba.njit(error_model="numpy")
def one_by_one(pulls_back, eta, weight, previous, a, t, p, summed):
    for unit in range(a.size):
        a[unit] = fused_multiply_add(weight, previous[unit], a[unit])
        h = logistic(a[unit])
        post = h - t[unit]
        if pulls_back:
            post *= h * (type(h)(1) - h)
        p[unit] = -eta * post
        summed[unit] += p[unit]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("pulls_back", [False, True])
@pytest.mark.parametrize("n_panels", [1, 2, 3, 5, 8])
def test_vectors_give_the_bits_of_a_loop(n_panels, pulls_back, dtype):
    rng = np.random.default_rng(n_panels)
    shape = (4, n_panels * PANEL_BYTES // np.dtype(dtype).itemsize)
    previous, a, t, summed = (rng.normal(size=shape) * [[1], [20], [1], [3]]).astype(dtype)
    found = []
    for step in (in_vectors, one_by_one):
        activities, change, total = a.copy(), np.full_like(a, np.nan), summed.copy()
        step(pulls_back, dtype(0.3), dtype(0.7), previous, activities, t, change, total)
        found.append((activities, change, total))
    np.testing.assert_array_equal(found[0], found[1])
