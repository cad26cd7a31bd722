"""Drawing by seed: which rows, in which order, and independently of what."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbian_descent import datasets


def test_random_binary_patterns_are_balanced():
    patterns, labels = datasets.draw_patterns("rand", 1000, seed=0)
    assert labels is None
    assert patterns.shape == (1000, 200)
    assert set(np.unique(patterns)) == {0.0, 1.0}
    # 200,000 fair coins stray from one half by more than 0.005 once in 100,000 trials.
    assert abs(patterns.mean() - 0.5) < 0.005


def test_random_gaussian_patterns_are_stretched_by_one_map_over_the_matrix():
    patterns, _ = datasets.draw_patterns("randn", 100, seed=3)
    assert patterns.min() == 0
    assert patterns.max() == 1
    assert 2 <= (patterns == 0).sum() + (patterns == 1).sum() <= 4, "one minimum and one maximum in all"
    baseline = np.abs(patterns - patterns.mean(axis=0)).mean()
    assert 0.085 < baseline < 0.11  # the paper's is about 0.097


def test_the_same_seed_draws_the_same_and_another_seed_draws_others():
    first, labels = datasets.draw_patterns("digits", 50, seed=1)
    again, labels_again = datasets.draw_patterns("digits", 50, seed=1)
    other, _ = datasets.draw_patterns("digits", 50, seed=2)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(labels, labels_again)
    assert not np.array_equal(first, other)


def test_patterns_are_drawn_without_replacement_from_the_training_set():
    digits = datasets.load("digits")
    patterns, labels = datasets.draw_patterns("digits", len(digits.train), seed=5)
    drawn = sorted((row.tobytes(), label) for row, label in zip(patterns, labels, strict=True))
    known = sorted(
        (row.tobytes(), label) for row, label in zip(digits.train.inputs, digits.train.labels, strict=True)
    )
    assert drawn == known
    assert not np.array_equal(patterns, digits.train.inputs), "in random order"


@settings(max_examples=20)
@given(
    name=st.sampled_from(["rand", "digits", "connect_positions"]),
    few=st.integers(1, 40),
    more=st.integers(0, 40),
    seed=st.integers(0, 2**64),
)
def test_a_larger_draw_begins_with_the_smaller_one(name, few, more, seed):
    small, _ = datasets.draw_patterns(name, few, seed=seed)
    large, _ = datasets.draw_patterns(name, few + more, seed=seed)
    np.testing.assert_array_equal(large[:few], small)


def test_label_order_sorts_the_same_patterns_by_class_and_keeps_ties_in_drawn_order():
    patterns, labels = datasets.draw_patterns("digits", 80, seed=4)
    ordered, ordered_labels = datasets.draw_patterns("digits", 80, seed=4, order="label")
    by_class = np.concatenate([patterns[labels == digit] for digit in range(10)])
    np.testing.assert_array_equal(ordered, by_class)
    np.testing.assert_array_equal(ordered_labels, np.sort(labels))


@pytest.mark.parametrize("name", ["rand", "randn", "digits", "connect_positions"])
def test_inputs_and_targets_of_a_pair_are_independent_draws_even_from_one_dataset(name):
    inputs, targets = datasets.draw_pair(name, name, 60, seed=0)
    assert inputs.shape == targets.shape
    assert not np.array_equal(inputs, targets)
    np.testing.assert_array_equal(inputs, datasets.draw_patterns(name, 60, seed=0)[0])


def test_the_targets_do_not_depend_on_what_the_inputs_are():
    _, with_rand = datasets.draw_pair("rand", "digits", 30, seed=9)
    _, with_randn = datasets.draw_pair("randn", "digits", 30, seed=9)
    np.testing.assert_array_equal(with_rand, with_randn)


def test_a_pair_may_have_inputs_that_drift_from_class_to_class():
    inputs, targets = datasets.draw_pair("digits", "digits", 40, seed=2, input_order="label")
    np.testing.assert_array_equal(inputs, datasets.draw_patterns("digits", 40, seed=2, order="label")[0])
    np.testing.assert_array_equal(targets, datasets.draw_pair("digits", "digits", 40, seed=2)[1])


def test_loading_random_patterns_gives_those_of_seed_zero():
    np.testing.assert_array_equal(
        datasets.load("rand").train.inputs, datasets.draw_patterns("rand", 100, seed=0)[0]
    )


def test_patterns_come_in_the_type_asked_for():
    for name in ("rand", "randn", "digits"):
        assert datasets.draw_patterns(name, 5, seed=0, dtype=np.float32)[0].dtype == np.float32


def test_draws_do_not_change_from_version_to_version():
    patterns, _ = datasets.draw_patterns("rand", 2, seed=42)
    assert patterns[:, :10].astype(int).tolist() == [
        [1, 1, 0, 0, 0, 1, 0, 0, 1, 1],
        [0, 1, 0, 1, 1, 0, 1, 0, 0, 1],
    ]
    _, labels = datasets.draw_patterns("digits", 12, seed=42)
    assert labels.tolist() == [8, 0, 9, 8, 3, 6, 3, 7, 7, 5, 9, 2]


def test_mnist_can_be_drawn_without_turning_all_of_it_into_floats(real_data):
    patterns, labels = datasets.draw_patterns("mnist", 100, seed=0, folder=real_data, order="label")
    assert patterns.shape == (100, 784)
    assert patterns.max() == 255 / 256
    assert (np.diff(labels) >= 0).all()
    inputs, targets = datasets.draw_pair("mnist", "mnist", 100, seed=0, folder=real_data)
    assert not np.array_equal(inputs, targets)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": 0}, ValueError, "number of patterns must be at least 1. Got 0"),
        ({"n": 1298}, ValueError, "must be at most 1297, the training set of digits. Got 1298"),
        ({"n": 2.0}, TypeError, "number of patterns must be a whole number. Got 2.0"),
        ({"seed": -1}, ValueError, "seed must be at least 0. Got -1"),
        ({"seed": None}, TypeError, "seed must be a whole number. Got None"),
        ({"order": "labels"}, ValueError, "order must be one of label, random. .* Did you mean 'label'"),
        ({"name": "rand", "order": "label"}, ValueError, "must be 'random' for rand, which has no labels"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(arguments, error, message):
    with pytest.raises(error, match=message):
        datasets.draw_patterns(**({"name": "digits", "seed": 0} | arguments))
