"""Sparse patterns have the activity they promise, and damage hits as many units as it says."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hebbian_descent import patterns


@given(st.integers(1, 20), st.integers(2, 60), st.floats(0.01, 1), st.integers(0, 2**32))
def test_every_sparse_pattern_has_the_same_activity(n, size, activity, seed):
    x = patterns.sparse(n, size, activity, seed)
    assert x.shape == (n, size)
    assert set(np.unique(x)) == {0, 1}
    assert (x.sum(axis=1) == min(max(round(activity * size), 1), size - 1)).all()


def test_every_unit_is_on_equally_often_and_a_larger_draw_begins_with_the_smaller():
    x = patterns.sparse(5000, 20, activity=0.25, seed=0)
    np.testing.assert_allclose(x.mean(axis=0), 0.25, atol=0.03)
    np.testing.assert_array_equal(patterns.sparse(10, 20, activity=0.25, seed=0), x[:10])
    assert (patterns.sparse(10, 20, activity=0.25, seed=1) != x[:10]).any()


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
def test_exactly_the_stated_shares_are_hit_and_no_unit_twice(flip, erase, seed):
    assume(round(flip * 40) + round(erase * 40) <= 40)
    x = np.where(np.arange(40) % 2, 1.0, 0.25) * np.ones((3, 1))  # inverted, 1 and 0.25 change places
    damaged = patterns.corrupt(x, flip=flip, erase=erase, seed=seed)
    assert ((damaged == 1.25 - x).sum(axis=1) == round(flip * 40)).all()
    assert ((damaged == 0).sum(axis=1) == round(erase * 40)).all()
    assert ((damaged == x).sum(axis=1) == 40 - round(flip * 40) - round(erase * 40)).all()


def test_patterns_are_not_changed_and_one_may_be_a_vector():
    x = patterns.sparse(4, 30, activity=0.5, seed=0)
    before = x.copy()
    damaged = patterns.corrupt(x, flip=0.5, seed=1)
    np.testing.assert_array_equal(x, before)
    assert (damaged != patterns.corrupt(x, flip=0.5, seed=2)).any()
    assert len({tuple(row) for row in damaged != x}) == 4, "other units in every pattern"
    assert patterns.corrupt(x[0], erase=0.5, seed=1).shape == (30,)
    np.testing.assert_array_equal(patterns.corrupt(x, seed=1), x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: patterns.sparse(0, 5, 0.5, 0), r"number of patterns must be at least 1"),
        (lambda: patterns.sparse(1, 5, 0, 0), r"activity must be above 0 and at most 1"),
        (lambda: patterns.corrupt(np.ones((2, 4)), flip=0.8, erase=0.8, seed=0), r"sum to at most 1"),
        (lambda: patterns.corrupt(np.ones((2, 4)), flip=-1, seed=0), r"flipped units must be at least 0"),
    ],
)
def test_bad_input_is_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
