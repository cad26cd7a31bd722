"""Patterns have the activity, correlation and overlap they promise; damage hits the stated units."""

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


COUNTS = st.integers(1, 12), st.integers(2, 40), st.floats(0.01, 1), st.floats(0, 1), st.integers(0, 2**40)


def n_on(size, activity):
    return min(max(round(activity * size), 1), size - 1)


def mean_correlation(x):
    return np.corrcoef(x)[np.triu_indices(len(x), 1)].mean()


@given(*COUNTS, st.integers(1, 3))
def test_correlated_patterns_keep_their_activity_and_begin_alike(n, size, activity, share, seed, prototypes):
    draw = {"activity": activity, "correlation": share, "seed": seed, "prototypes": prototypes}
    x = patterns.correlated(n + 3, size, **draw)
    assert set(np.unique(x)) <= {0, 1}
    assert (x.sum(axis=1) == n_on(size, activity)).all()
    np.testing.assert_array_equal(patterns.correlated(n, size, **draw), x[:n])


@pytest.mark.parametrize("activity", [0.5, 0.1, 0.004])
@pytest.mark.parametrize("correlation", [0, 0.2, 0.7, 1])
def test_the_measured_correlation_is_the_one_asked_for(activity, correlation):
    x = patterns.correlated(150, 1000, activity, correlation, seed=1)
    assert mean_correlation(x) == pytest.approx(correlation, abs=0.02)


def test_patterns_of_different_prototypes_are_uncorrelated():
    x = patterns.correlated(120, 2000, 0.2, 0.5, seed=0, prototypes=2)
    assert mean_correlation(x[::2]) == pytest.approx(0.5, abs=0.02)
    assert np.corrcoef(x)[::2, 1::2].mean() == pytest.approx(0, abs=0.05)


@given(*COUNTS)
def test_drifting_patterns_share_exactly_the_stated_overlap(n, size, activity, overlap, seed):
    on = n_on(size, activity)
    kept = round(on * overlap)
    assume(on - kept <= size - on)
    x = patterns.drifting(n + 2, size, activity, overlap, seed)
    assert (x.sum(axis=1) == on).all()
    assert ((x[1:] * x[:-1]).sum(axis=1) == kept).all()
    np.testing.assert_array_equal(patterns.drifting(n, size, activity, overlap, seed), x[:n])


@pytest.mark.parametrize(("activity", "concentration"), [(0.5, 2.0), (0.1, 0.5), (0.3, 50.0)])
def test_graded_patterns_have_the_mean_and_variance_of_their_distribution(activity, concentration):
    x = patterns.graded(200, 300, activity, seed=0, concentration=concentration)
    assert x.min() >= 0
    assert x.max() <= 1
    assert x.mean() == pytest.approx(activity, abs=0.005)
    assert x.var() == pytest.approx(activity * (1 - activity) / (1 + concentration), rel=0.03)


def test_bipolar_patterns_are_plus_and_minus_one():
    x = patterns.sparse(5, 20, 0.3, seed=0)
    np.testing.assert_array_equal(patterns.bipolar(x), np.where(x == 1, 1.0, -1.0))


@given(st.floats(0, 1), st.floats(0.05, 0.5), st.booleans(), st.integers(0, 2**32))
def test_swapped_units_keep_the_activity_of_every_pattern(swap, activity, signed, seed):
    x = patterns.sparse(4, 30, activity, seed)
    x = patterns.bipolar(x) if signed else x
    damaged = patterns.corrupt(x, swap=swap, seed=seed)
    np.testing.assert_array_equal(np.sort(damaged, axis=1), np.sort(x, axis=1))
    assert ((damaged != x).sum(axis=1) == 2 * round(swap * (x[0] == 1).sum())).all()


def test_swapping_keeps_the_values_of_graded_patterns_and_hits_other_units_in_each():
    x = patterns.graded(6, 40, 0.5, seed=0)
    damaged = patterns.corrupt(x, swap=0.3, seed=1)
    np.testing.assert_array_equal(np.sort(damaged, axis=1), np.sort(x, axis=1))
    assert len({tuple(row) for row in damaged != x}) == 6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: patterns.correlated(2, 9, 0.5, 1.5, 0), r"correlation must be .* at most 1. Got 1.5"),
        (lambda: patterns.correlated(2, 9, 0.5, 0.5, 0, prototypes=0), r"prototypes must be at least 1"),
        (lambda: patterns.drifting(2, 10, 0.8, 0.5, 0), r"overlap must be at least 0.75, .* Got 0.5"),
        (lambda: patterns.graded(2, 10, 1.0, 0), r"activity of graded patterns must be below 1"),
        (lambda: patterns.graded(2, 10, 0.5, 0, concentration=0), r"concentration must be above 0"),
        (lambda: patterns.bipolar([[0, 2]]), r"must be 0 and 1. Got 2"),
        (lambda: patterns.corrupt(np.eye(4), swap=0.5, flip=0.1, seed=0), r"give swap alone. Got swap=0.5"),
        (lambda: patterns.corrupt([1, 1, 1, 0], swap=1, seed=0), r"Got 3 to move and 1 inactive in"),
        (lambda: patterns.sparse(0, 5, 0.5, 0), r"number of patterns must be at least 1"),
        (lambda: patterns.sparse(1, 5, 0, 0), r"activity must be above 0 and at most 1"),
        (lambda: patterns.corrupt(np.ones((2, 4)), flip=0.8, erase=0.8, seed=0), r"sum to at most 1"),
        (lambda: patterns.corrupt(np.ones((2, 4)), flip=-1, seed=0), r"flipped units must be at least 0"),
    ],
)
def test_bad_input_is_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
