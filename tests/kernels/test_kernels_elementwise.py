"""Vectorised activations are as accurate as those of a mathematical library, and right at the limits."""

import re

import numpy as np
import pytest
from kernels_oracle import ACTIVATIONS as ORACLE

from hebbian_descent.kernels import exponential
from hebbian_descent.kernels.activations import ACTIVATIONS
from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.elementwise import OUTPUTS, SLOPES, output, slope
from hebbian_descent.kernels.rows import activate, pull_back

FUNCTIONS = {
    "exp": np.exp,
    "exp_minus_one": np.expm1,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-abs(x))),
}
ELEMENTWISE = [name for name in ACTIVATIONS if name != "softmax"]


def over_array(function):
    @inlined
    def loop(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    return loop


def applied(function, x):
    out = np.empty_like(x)
    over_array(function)(x, out)
    return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy_is_three_units_in_the_last_place(name, dtype):
    rng = np.random.default_rng(0)
    reach = 708 if dtype == np.float64 else 86.9
    small = 10.0 ** rng.uniform(-30, 0, 20_000)
    spread = [rng.uniform(-limit, limit, 50_000) for limit in (1, 20, reach)]
    x = np.concatenate([*spread, small, -small]).astype(dtype)
    with np.errstate(over="ignore"):
        expected = FUNCTIONS[name](x.astype(np.longdouble))
    normal = abs(expected) > 2 * np.finfo(dtype).tiny
    distance = abs(applied(getattr(exponential, name), x) - expected)[normal]
    assert (distance / np.spacing(abs(expected[normal]).astype(dtype))).max() < 3


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("name", "at_minus_infinity", "at_zero", "at_infinity"),
    [
        ("exp", 0, 1, np.inf),
        ("exp_minus_one", -1, 0, np.inf),
        ("logistic", 0, 0.5, 1),
        ("tanh", -1, 0, 1),
        ("softplus", 0, np.log(2), None),
    ],
)
def test_limits(name, at_minus_infinity, at_zero, at_infinity, dtype):
    x = np.array([-np.inf, -1e6, -1000, 0, 1000, 1e6, np.inf, np.nan], dtype=dtype)
    values = applied(getattr(exponential, name), x)
    assert (values[:3] == at_minus_infinity).all()
    np.testing.assert_allclose(values[3], at_zero, rtol=3 * np.finfo(dtype).eps, atol=0)  # 0 is exact
    np.testing.assert_array_equal(values[4:7], x[4:7] if at_infinity is None else at_infinity)
    assert np.isnan(values[7])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_loops_become_vector_instructions(name):
    loop = over_array(getattr(exponential, name))
    loop(np.zeros(3), np.zeros(3))
    (assembly,) = loop.inspect_asm().values()
    if "ymm" not in assembly and "zmm" not in assembly:
        pytest.skip("the processor has no vectors of 32 bytes")
    assert re.search(r"vfn?m\w+pd\s.*[yz]mm", assembly)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_outputs_and_slopes(name, dtype):
    parameters, phi, derivative = ORACLE[name]
    kind = ACTIVATIONS[name](**parameters)
    a = np.concatenate([np.linspace(-30, 30, 401), [0.0]]).astype(dtype)
    h, slopes = np.empty_like(a), np.empty_like(a)

    @inlined
    def loop(kind, a, h, slopes):
        for i in range(a.size):
            h[i] = output(kind, a[i])
            slopes[i] = slope(kind, a[i], h[i])

    loop(kind, a, h, slopes)
    tolerance = 8 * np.finfo(dtype).eps
    expected = phi(a.astype(float))
    np.testing.assert_allclose(h, expected, rtol=tolerance, atol=tolerance / 10)
    np.testing.assert_allclose(
        slopes, derivative(a.astype(float), expected), rtol=10 * tolerance, atol=2 * tolerance
    )


@pytest.mark.parametrize(
    ("name", "output_at_zero", "slope_at_zero"),
    [
        ("step", 0, 0),
        ("rectifier", 0, 0),
        ("leaky_rectifier", 0, 1),
        ("approximate_step", 1, 0.01),
        ("explin", 0, 1),
    ],
)
def test_at_a_kink(name, output_at_zero, slope_at_zero):
    kind = ACTIVATIONS[name]()
    a, h, error = np.zeros(1), np.ones(1), np.ones(1)

    @inlined
    def at_zero(kind, a, h, error):
        activate(kind, a, h)
        pull_back(kind, a, h, error)

    at_zero(kind, a, h, error)
    assert (h[0], error[0]) == (output_at_zero, slope_at_zero)


def test_every_activation_is_complete():
    assert set(ORACLE) == set(ACTIVATIONS)
    assert set(OUTPUTS) == set(SLOPES) == {ACTIVATIONS[name] for name in ELEMENTWISE}
