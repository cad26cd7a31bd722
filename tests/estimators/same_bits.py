"""How two estimators are compared, number by number."""

import numpy as np


def assert_same_bits(one, other):
    """Assert that two estimators hold the same numbers."""
    one, other = one._state(), other._state()
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, np.ndarray):
            assert value.dtype == other[name].dtype, name
        np.testing.assert_array_equal(value, other[name], err_msg=name)
