"""The compiled core agrees with naive loops, and gives the same bits at v3 and v4."""

import numpy as np
import pytest

from hebbian_descent.network import ACTIVATIONS, get_activation

RNG = np.random.default_rng(0)
TOLERANCE = {np.float64: 1e-12, np.float32: 2e-5}
"""Of sums over a few dozen numbers of about 1, in another order."""


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_units_are_those_of_the_network(core, unit, dtype):
    activation = get_activation(unit)
    a = np.concatenate([np.linspace(-30, 30, 601), [0.0, -0.0]]).astype(dtype)[None]
    h = np.empty_like(a)
    core.activate(a, h, unit, dict(activation.parameters))
    np.testing.assert_allclose(h, activation(a.astype(float)), rtol=20 * np.finfo(dtype).eps, atol=1e-30)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [(1, 0, 16), (6, 5, 16), (13, 40, 80), (7, 3, 96)])
def test_products(core, shape, dtype):
    n_rows, n_terms, n_columns = shape
    start, coefficients, terms = (
        RNG.standard_normal(size).astype(dtype)
        for size in ((n_rows, n_columns), (n_rows, n_terms), (n_terms, n_columns))
    )
    out = np.empty_like(start)
    core.add_product(out, start, 0.5, coefficients, terms)
    expected = 0.5 * start.astype(float) + coefficients.astype(float) @ terms.astype(float)
    np.testing.assert_allclose(out, expected, rtol=0, atol=TOLERANCE[dtype])


def sequence(dtype, n=25, n_inputs=12, n_units=5, n_columns=16):
    x, t = RNG.random((n, n_inputs)), RNG.random((n, n_units))
    W = 0.1 * RNG.standard_normal((n_inputs, n_units))
    centered = x - x.mean(axis=0)
    full = centered @ centered.T + 1  # the bias learns
    padded = [
        np.pad(values, ((0, 0), (0, n_columns - n_units)), constant_values=0.5)
        for values in (centered @ W, t)
    ]
    return (
        centered,
        t,
        W,
        np.tril(full, -1).astype(dtype),
        full.astype(dtype),
        *(p.astype(dtype) for p in padded),
    )


@pytest.mark.parametrize("unit", ["sigmoid", "linear", "softmax", "rectifier"])
@pytest.mark.parametrize("pulls_back", [False, True])
@pytest.mark.parametrize("n_epochs", [1, 3])
def test_sequences_are_the_naive_loop(core, unit, pulls_back, n_epochs):
    c, t, W, lower, full, start, targets = sequence(np.float64)
    phi, rates = get_activation(unit), np.array([0.3, 0.01])
    errors, diverged_at = np.empty((2, len(c))), np.empty(2, np.int64)
    core.learn_sequences(
        rates, lower if n_epochs == 1 else full, start, targets, full, start, targets, errors, diverged_at,
        n_units=5, n_epochs=n_epochs, continues=False, pulls_back=pulls_back, unit=unit, parameters={},
    )  # fmt: skip
    assert (diverged_at == -1).all()
    for eta, found in zip(rates, errors, strict=True):
        weights, b = W.copy(), np.zeros(5)
        for _ in range(n_epochs):
            for row in range(len(c)):
                a = (c[row] @ weights + b)[None]
                post = phi(a) - t[row]
                post = phi.pull_back(post, a, phi(a)) if pulls_back else post
                weights, b = weights - eta * np.outer(c[row], post), b - eta * post[0]
        np.testing.assert_allclose(found, np.abs(phi(c @ weights + b) - t).sum(axis=1), rtol=1e-10)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_units_have_the_same_bits_at_v3_and_v4(two_levels, unit, dtype):
    a = RNG.normal(scale=10, size=(7, 83)).astype(dtype)
    found = [np.empty_like(a) for _ in two_levels]
    for core, h in zip(two_levels, found, strict=True):
        core.activate(a, h, unit, dict(get_activation(unit).parameters))
    np.testing.assert_array_equal(*found)
