"""One pass over weights, in vectors, against the same in NumPy: for all remainders of rows and columns."""

import numpy as np
import pytest

from hebbian_descent.kernels.alignment import LINE_BYTES, aligned, aligned_zeros
from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.rank_one import decay_learn_and_sum, learn_and_sum


@inlined
def _learn(W, p, before, now, sums):
    learn_and_sum(W, p, before, now, sums, before)


@inlined
def _decay(W, keep, p, before, now, sums):
    decay_learn_and_sum(W, keep, p, before, now, sums, before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_inputs", [1, 3, 4, 7, 8, 9, 33])
@pytest.mark.parametrize("keep", [1.0, 0.75])
@pytest.mark.parametrize("n_steps", [1, 2])
def test_a_pass_learns_steps_and_sums_the_next(n_steps, dtype, n_inputs, keep):
    rng = np.random.default_rng(n_inputs)
    for n_outputs in range(1, 12):
        W = rng.normal(size=(n_outputs, n_inputs)).astype(dtype)
        p, before, now = (
            tuple(rng.normal(size=(n_steps, size)).astype(dtype)) for size in (n_outputs, n_inputs, n_inputs)
        )
        expected = keep * W.astype(float) + np.transpose(p) @ np.array(before)
        sums = tuple(np.full((n_steps, n_outputs), np.nan, dtype))
        if keep == 1:
            _learn(W, p, before, now, sums)
        else:
            _decay(W, dtype(keep), p, before, now, sums)
        tolerance = 100 * np.finfo(dtype).eps
        np.testing.assert_allclose(W, expected, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(sums, (expected @ np.transpose(now)).T, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n_inputs", [3, 8])
def test_weights_that_fade_become_zero(n_inputs):
    tiny, nothing = np.finfo(float).tiny, np.zeros(n_inputs)
    W = np.full((6, n_inputs), 1.5 * tiny)
    sums = np.empty(6)
    _decay(W, 0.5, (np.zeros(6),), (nothing,), (nothing + 1,), (sums,))
    assert not W.any()
    assert not sums.any()


@pytest.mark.parametrize("shape", [(1, 1), (10, 784)])
def test_aligned_arrays_begin_with_a_line_of_the_cache(shape):
    for array in (aligned(shape, np.float32), aligned_zeros(shape, np.float64)):
        assert array.shape == shape
        assert array.ctypes.data % LINE_BYTES == 0
        assert array.flags.c_contiguous
    assert not aligned_zeros(shape, np.float64).any()
