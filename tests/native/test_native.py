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
@pytest.mark.parametrize(
    "shape",
    [(1, 0, 16), (2, 9, 16), (3, 9, 64), (4, 9, 16), (5, 9, 144), (6, 5, 16), (13, 40, 80), (7, 3, 96)],
)
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


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("n_rows", "n_columns"), [(0, 3), (1, 1), (4, 16), (7, 29), (41, 784)])
def test_squares_around_a_mean(core, n_rows, n_columns, dtype):
    values = (RNG.standard_normal((n_rows, n_columns)) + 3).astype(dtype)
    weights, mean = RNG.random(n_rows).astype(dtype), np.full(n_columns, 3.0, dtype)
    total = np.ones(n_columns, dtype)
    core.add_squares(values, weights, mean, total)
    expected = 1 + weights.astype(float) @ (values.astype(float) - 3) ** 2
    np.testing.assert_allclose(total, expected, rtol=TOLERANCE[dtype])
    with pytest.raises(ValueError, match="do not fit together"):
        core.add_squares(values, weights, mean[1:], total)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("unit", ACTIVATIONS)
def test_units_have_the_same_bits_at_v3_and_v4(two_levels, unit, dtype):
    a = RNG.normal(scale=10, size=(7, 83)).astype(dtype)
    found = [np.empty_like(a) for _ in two_levels]
    for core, h in zip(two_levels, found, strict=True):
        core.activate(a, h, unit, dict(get_activation(unit).parameters))
    np.testing.assert_array_equal(*found)
