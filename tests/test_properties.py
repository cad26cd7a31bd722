"""Properties that hold for any data, found by Hypothesis."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hebbian_descent import AUTO_RULES, RULES, Autoencoder, Layer, train

N, M, D = 3, 2, 4
finite = st.floats(-2, 2, allow_subnormal=False)
inputs = hnp.arrays(np.float64, (D, N), elements=finite)
targets = hnp.arrays(np.float64, (D, M), elements=finite)
weights = hnp.arrays(np.float64, (N, M), elements=finite)
every_rule = pytest.mark.parametrize("rule", RULES)

# Properties of one update hold for any targets, also those out of reach.
pytestmark = pytest.mark.filterwarnings("ignore::hebbian_descent.TargetRangeWarning")


def updated(rule, W, x, t, learning_rate, **options):
    layer = Layer.from_weights(W, activation="sigmoid", offset=0.25)
    train(layer, x, t, rule=rule, learning_rate=learning_rate, batch_size=len(x), **options)
    return layer


@every_rule
@settings(max_examples=40)
@given(W=weights, x=inputs, t=targets, factor=st.floats(0.1, 10))
def test_an_update_is_linear_in_the_learning_rate(rule, W, x, t, factor):
    once, more = (updated(rule, W, x, t, eta) for eta in (0.1, 0.1 * factor))
    np.testing.assert_allclose(more.weights - W, factor * (once.weights - W), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(more.bias, factor * once.bias, rtol=1e-9, atol=1e-12)


@every_rule
@settings(max_examples=20)
@given(W=weights, x=inputs, t=targets)
def test_a_learning_rate_of_zero_changes_nothing(rule, W, x, t):
    layer = updated(rule, W, x, t, 0.0, epochs=2)
    np.testing.assert_array_equal(layer.weights, W)
    np.testing.assert_array_equal(layer.bias, 0)


@every_rule
@settings(max_examples=40)
@given(W=weights, x=inputs, t=targets)
def test_a_duplicated_batch_gives_the_same_update(rule, W, x, t):
    once = updated(rule, W, x, t, 0.3)
    twice = updated(rule, W, np.tile(x, (2, 1)), np.tile(t, (2, 1)), 0.3)
    np.testing.assert_allclose(once.weights, twice.weights, rtol=1e-12, atol=1e-14)


@every_rule
@settings(max_examples=20)
@given(W=weights, x=inputs, t=targets, order=st.permutations(range(D)))
def test_the_order_within_a_batch_does_not_matter(rule, W, x, t, order):
    straight, mixed = updated(rule, W, x, t, 0.3), updated(rule, W, x[order], t[order], 0.3)
    np.testing.assert_allclose(straight.weights, mixed.weights, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
@every_rule
def test_inputs_of_any_real_dtype_are_taken_and_never_written_to(rule, dtype):
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 2, (D, N)).astype(dtype), rng.integers(0, 2, (D, M)).astype(dtype)
    x.setflags(write=False)
    t.setflags(write=False)
    before = x.copy(), t.copy()
    for network_dtype in (np.float32, np.float64):
        layer = Layer.create(N, M, rng=rng, dtype=network_dtype)
        train(layer, x, t, rule=rule, shift=0.1)
        assert layer.weights.dtype == network_dtype
        assert layer.output(x).dtype == network_dtype
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(t, before[1])


@pytest.mark.parametrize("rule", AUTO_RULES)
def test_autoencoders_never_write_to_their_inputs(rule):
    rng = np.random.default_rng(0)
    x = rng.random((D, N))
    x.setflags(write=False)
    network = Autoencoder.create(N, M, hidden_activation="linear", rng=rng)
    train(network, x, rule=rule, learning_rate=0.01, shift=0.1)
