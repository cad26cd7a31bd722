"""Couplings and effective inputs against the double sum that defines them."""

import numpy as np
import pytest

from hebbian_descent.engines.couplings import couplings_of_sequence, moving_offsets, powers
from hebbian_descent.learning.centering import Offset


def by_definition(inputs, evaluated, offset, shift, decay, presynaptic_offset, beta):
    n_steps, k = len(inputs), 1 - decay
    mu = [np.broadcast_to(offset, inputs.shape[1])]
    for x in inputs:
        mu.append((1 - shift) * mu[-1] + shift * x)
    d = np.diff(mu, axis=0)
    pre = inputs - (mu[:-1] if presynaptic_offset is None else presynaptic_offset)

    def coupling(t, s, x):
        moved = sum((k ** (r - s) * d[r] for r in range(s, t)), np.zeros_like(x))
        return pre[s] @ (k ** (t - 1 - s) * (x - mu[t]) + moved) + beta

    def effective(t, x):
        return k**t * (x - mu[t]) + sum((k ** (r + 1) * d[r] for r in range(t)), np.zeros_like(x))

    steps = range(n_steps)
    training = np.array([[coupling(t, s, inputs[t]) if s < t else 0.0 for s in steps] for t in steps])
    evaluation = np.array([[coupling(n_steps, s, x) for s in steps] for x in evaluated])
    return (
        training,
        np.array([effective(t, inputs[t]) for t in steps]),
        evaluation,
        np.array([effective(n_steps, x) for x in evaluated]),
    )


def couplings_of(inputs, evaluated, offset=0.0, shift=0.0, presynaptic_offset=None, **options):
    offsets = moving_offsets(inputs, offset, Offset(shift=shift))
    pre = inputs - (offsets[:-1] if presynaptic_offset is None else presynaptic_offset)
    return couplings_of_sequence(inputs, evaluated, pre=pre, offsets=offsets, **options)


@pytest.mark.parametrize("decay", [0.0, 0.1, 1.0, 2.0])
@pytest.mark.parametrize("shift", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("n_steps", [1, 2, 9])
@pytest.mark.parametrize("uses_mean", [False, True])
def test_couplings_equal_their_definition(decay, shift, n_steps, uses_mean):
    rng = np.random.default_rng(2)
    inputs, evaluated = rng.normal(size=(n_steps, 4)), rng.normal(size=(3, 4))
    mean = inputs.mean(axis=0) if uses_mean else None
    found = couplings_of(inputs, evaluated, 0.5, shift, mean, weight_decay=decay, learns_bias=not uses_mean)
    expected = by_definition(inputs, evaluated, 0.5, shift, decay, mean, float(not uses_mean))
    for observed, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(observed, wanted, rtol=1e-12, atol=1e-13)


def test_without_decay_a_moving_offset_gives_the_couplings_of_learned_patterns_at_any_time():
    inputs = np.random.default_rng(2).random((20, 5))
    found = couplings_of(inputs, inputs, offset=0.5, shift=0.1)
    np.testing.assert_allclose(np.tril(found.evaluation, -1), found.training, rtol=1e-12)
    np.testing.assert_allclose(found.evaluation_inputs, found.training_inputs, rtol=1e-12)


def test_powers():
    np.testing.assert_array_equal(powers(0.0, 3), [1, 0, 0, 0])
    np.testing.assert_array_equal(powers(-1.0, 3), [1, -1, 1, -1])
    np.testing.assert_array_equal(powers(0.1, 400)[[0, 1, 400]], [1, 0.1, 0])
    np.testing.assert_allclose(powers(0.999, 4096), 0.999 ** np.arange(4097), rtol=1e-12)


def test_no_subnormal_numbers_are_left():
    inputs = np.random.default_rng(2).random((1200, 3))
    for values in couplings_of(inputs, inputs[:2], weight_decay=0.5):
        magnitudes = abs(values[values != 0])
        assert magnitudes.size == 0 or magnitudes.min() >= np.finfo(float).tiny


def test_offsets_stay_where_they_are_without_a_shift():
    inputs = np.ones((3, 2))
    np.testing.assert_array_equal(moving_offsets(inputs, [0.1, 0.2], Offset()), [[0.1, 0.2]] * 4)
    np.testing.assert_allclose(moving_offsets(inputs, 0.0, Offset(shift=0.5))[:, 0], [0, 0.5, 0.75, 0.875])
