"""Compiled units are as accurate as those of a mathematical library, and right at limits and kinks."""

import numpy as np
import pytest

from hebbian_descent.network import ACTIVATIONS, get_activation

EXACT = {
    "exponential": np.exp,
    "explin": lambda x: np.where(x >= 0, x, np.expm1(np.minimum(x, 0))),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-abs(x))),
    "scaled_tanh": np.tanh,
}
PARAMETERS = {"scaled_tanh": {"scale": 1.0}}
DTYPES = (np.float64, np.float32)


def outputs(core, name, a):
    h = np.empty_like(a[None])
    core.activate(a[None], h, name, PARAMETERS.get(name, dict(get_activation(name).parameters)))
    return h[0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_accuracy_is_three_units_in_the_last_place(core, name, dtype):
    rng = np.random.default_rng(0)
    reach = 708 if dtype == np.float64 else 86.9
    small = 10.0 ** rng.uniform(-30, 0, 20_000)
    spread = [rng.uniform(-limit, limit, 50_000) for limit in (1, 20, reach)]
    a = np.concatenate([*spread, small, -small]).astype(dtype)
    with np.errstate(over="ignore"):
        expected = EXACT[name](a.astype(np.longdouble))
    normal = abs(expected) > 2 * np.finfo(dtype).tiny
    distance = abs(outputs(core, name, a) - expected)[normal]
    assert (distance / np.spacing(abs(expected[normal]).astype(dtype))).max() < 3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "at_minus_infinity", "at_zero", "at_infinity"),
    [
        ("exponential", 0, 1, np.inf),
        ("explin", -1, 0, None),
        ("sigmoid", 0, 0.5, 1),
        ("scaled_tanh", -1, 0, 1),
        ("softplus", 0, np.log(2), None),
    ],
)
def test_limits(core, name, at_minus_infinity, at_zero, at_infinity, dtype):
    a = np.array([-np.inf, -1e6, -1000, 0, 1000, 1e6, np.inf, np.nan], dtype=dtype)
    values = outputs(core, name, a)
    assert (values[:3] == at_minus_infinity).all()
    np.testing.assert_allclose(values[3], at_zero, rtol=3 * np.finfo(dtype).eps, atol=0)  # 0 is exact
    np.testing.assert_array_equal(values[4:7], a[4:7] if at_infinity is None else at_infinity)
    assert np.isnan(values[7])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_errors_are_pulled_back_as_in_the_network(core, name, dtype):
    activation = get_activation(name)
    a = np.linspace(-30, 30, 403).astype(dtype)[None]  # 0 is the kink of some
    error = np.linspace(0.5, 2, a.size).astype(dtype)[None]
    expected = activation.pull_back(error.astype(float), a.astype(float), activation(a.astype(float)))
    core.pull_back(a, outputs(core, name, a[0])[None], error, name, dict(activation.parameters))
    tolerance = 80 * np.finfo(dtype).eps
    np.testing.assert_allclose(error, expected, rtol=tolerance, atol=tolerance)
