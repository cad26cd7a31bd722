"""Arrays that begin on a cache line."""

import numpy as np
import pytest

from hebbian_descent.aligned import LINE_BYTES, aligned, aligned_copy, aligned_zeros


@pytest.mark.parametrize("shape", [(1, 1), (10, 784)])
def test_aligned_arrays_begin_on_a_cache_line(shape):
    for array in (aligned(shape, np.float32), aligned_zeros(shape, np.float64)):
        assert array.shape == shape
        assert array.ctypes.data % LINE_BYTES == 0
        assert array.flags.c_contiguous
    assert not aligned_zeros(shape, np.float64).any()


def test_an_aligned_copy_keeps_numbers_and_order():
    values = np.arange(12.0).reshape(3, 4)
    for array in (values, values.T):
        copied = aligned_copy(array)
        np.testing.assert_array_equal(copied, array)
        assert copied.flags.f_contiguous == array.flags.f_contiguous
        assert copied.ctypes.data % LINE_BYTES == 0
        assert not np.shares_memory(copied, array)
    assert aligned_copy(np.arange(3)).tolist() == [0, 1, 2]
