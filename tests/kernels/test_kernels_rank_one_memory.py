"""Sums have the same bits wherever the arrays are in memory, be they neighbours or far apart."""

import numba
import numpy as np
import pytest

from hebbian_descent.kernels import rank_one

N_INPUTS = 40


@numba.njit
def centered(x, offset, out):
    return rank_one.center(x, offset, out)


@numba.njit
def moved(x, offset, out):
    return rank_one.move_and_center(offset, x, offset.dtype.type(0.1), x, out)


@numba.njit
def two(x, offset, out):
    pair = out[:N_INPUTS], out[N_INPUTS:]
    squares, others, product = rank_one.center_two((x, x), offset, offset.dtype.type(0.1), pair)
    return squares + others + product


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [centered, moved, two], ids=["center", "move", "two"])
def test_sums_do_not_depend_on_how_close_arrays_are(function, dtype):
    values = np.random.default_rng(0).normal(size=N_INPUTS).astype(dtype)
    found = set()
    for distance in range(N_INPUTS, 6 * N_INPUTS):
        arena = np.zeros(12 * N_INPUTS, dtype)
        near, out = arena[:N_INPUTS], arena[distance : distance + 2 * N_INPUTS]
        found.add(float(function(values, near, out)))
        arena = np.zeros(12 * N_INPUTS, dtype)
        near, out = arena[distance : distance + N_INPUTS], arena[6 * N_INPUTS + distance :][: 2 * N_INPUTS]
        if len(out) == 2 * N_INPUTS:
            found.add(float(function(values, near, out)))
    assert len(found) == 1
