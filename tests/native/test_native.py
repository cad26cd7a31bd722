"""The compiled core agrees with naive loops, and gives the same bits at v3 and v4."""

import numpy as np
import pytest

from hebbian_descent.network import ACTIVATIONS, get_activation

RNG = np.random.default_rng(0)
TOLERANCE = {np.float64: 1e-12, np.float32: 2e-5}
"""Of sums over a few dozen numbers of about 1, in another order."""


def samples(dtype, n=41, n_inputs=37, n_outputs=5):
    x = RNG.random((n, n_inputs)).astype(dtype)
    t = RNG.random((n, n_outputs)).astype(dtype)
    W = (0.1 * RNG.standard_normal((n_outputs, n_inputs))).astype(dtype)
    return x, t, W, np.zeros(n_outputs, dtype), np.full(n_inputs, 0.25, dtype)


def shown(core, x, t, W, b, mu, *, unit, parameters, per_pass=1, n_seen=3, scales=None, **step):
    W, b, mu = W.copy(), b.copy(), mu.copy()
    order = np.arange(len(x))[::-1].copy()
    scales = np.linspace(0.5, 1.5, len(x)).astype(W.dtype) if scales is None else scales
    found = core.learn_online(
        W, b, mu, x, t, scales, order,
        n_seen=n_seen, unit=unit, parameters=parameters, step=core.StepSettings(**step), per_pass=per_pass,
    )  # fmt: skip
    return W, b, mu, found


def naive(x, t, W, b, mu, *, unit, parameters, learning_rate, pulls_back=False, weight_decay=0.0, shift=0.0):
    phi = get_activation(unit, **parameters)
    W, b, mu = (array.astype(float) for array in (W, b, mu))
    for row, scale in zip(range(len(x))[::-1], np.linspace(0.5, 1.5, len(x))[::-1], strict=True):
        c = x[row] - mu
        a = W @ c + b
        h = phi(a[None])[0]
        post = h - t[row]
        if pulls_back:
            post = phi.pull_back(post[None], a[None], h[None])[0]
        p = -learning_rate * scale * post
        W = (1 - weight_decay) * W + np.outer(p, c)
        b = b + p
        b, mu = b + shift * (W @ c), mu + shift * c
    return W, b, mu


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_units_are_those_of_the_network(core, unit, dtype):
    activation = get_activation(unit)
    a = np.concatenate([np.linspace(-30, 30, 601), [0.0, -0.0]]).astype(dtype)[None]
    h = np.empty_like(a)
    core.activate(a, h, unit, dict(activation.parameters))
    np.testing.assert_allclose(h, activation(a.astype(float)), rtol=20 * np.finfo(dtype).eps, atol=1e-30)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("pulls_back", [False, True])
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_online_learning_is_the_naive_loop(core, unit, pulls_back, per_pass, dtype):
    settings = {"learning_rate": 0.02, "weight_decay": 0.01, "shift": 0.03, "pulls_back": pulls_back}
    unit_settings = {"unit": unit, "parameters": dict(get_activation(unit).parameters)}
    given = samples(dtype)
    *found, diverged = shown(core, *given, per_pass=per_pass, **unit_settings, **settings)
    assert diverged == -1
    for array, expected in zip(found, naive(*given, **unit_settings, **settings), strict=True):
        np.testing.assert_allclose(array, expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("n_inputs", [1, 7, 8, 9, 64, 65])
def test_a_sample_has_the_same_bits_alone_and_among_many(core, n_inputs):
    x, t, W, b, mu = samples(np.float64, n_inputs=n_inputs)
    step = {"learning_rate": 0.1, "weight_decay": 0.01, "shift": 0.05, "starts_as_mean": True}
    together = shown(core, x, t, W, b, mu, unit="sigmoid", parameters={}, n_seen=0, **step)
    scales = np.linspace(0.5, 1.5, len(x))
    for n_seen, row in enumerate(range(len(x))[::-1]):
        core.learn_online(
            W, b, mu, x, t, scales, np.array([row]),
            n_seen=n_seen, unit="sigmoid", parameters={}, step=core.StepSettings(**step), per_pass=1,
        )  # fmt: skip
    for array, expected in zip((W, b, mu), together, strict=False):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("per_pass", [1, 2])
def test_a_sample_that_diverges_is_not_learned_nor_any_after_it(core, per_pass):
    x, t, W, b, mu = samples(np.float64)
    settings = {
        "unit": "linear",
        "parameters": {},
        "learning_rate": 0.01,
        "weight_decay": 0.01,
        "shift": 0.02,
    }
    for bad in (19, 20):  # the first and the second of a pass
        spoilt = x.copy()
        spoilt[bad] = 1e200
        *found, diverged = shown(core, spoilt, t, W, b, mu, per_pass=per_pass, **settings)
        assert diverged == len(x) - 1 - bad
        scales = np.linspace(0.5, 1.5, len(x))[bad + 1 :]
        *expected, _ = shown(core, x[bad + 1 :], t[bad + 1 :], W, b, mu, scales=scales, **settings)
        for array, before in zip(found, expected, strict=True):
            np.testing.assert_allclose(array, before, rtol=0, atol=TOLERANCE[np.float64])


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
def test_v3_and_v4_give_the_same_bits(two_levels, unit, dtype):
    settings = {"unit": unit, "parameters": dict(get_activation(unit).parameters), "learning_rate": 0.5}
    settings |= {"largest_slope": 1.0, "weight_decay": 0.001, "shift": 0.01, "starts_as_mean": True}
    given = samples(dtype, n=300, n_inputs=83, n_outputs=21)
    for per_pass in (1, 2):
        first, second = (shown(core, *given, per_pass=per_pass, **settings) for core in two_levels)
        for array, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(array, other)
