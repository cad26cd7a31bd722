"""The matching loss L(t, a) = Φ(a) − t·a + Φ*(t): its gradient is h − t, for every activation."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_activations import AWAY_FROM_KINKS, ELEMENTWISE, every_activation, every_elementwise, targets_inside

from hebbian_descent import Activation, get_activation, matching_loss

SIMPLEX = np.random.default_rng(0).dirichlet(np.ones(10), size=1)


def targets_for(activation):
    if not activation.elementwise:
        return SIMPLEX
    return np.resize(targets_inside(activation), AWAY_FROM_KINKS.shape)


@every_activation
def test_gradient_in_a_is_the_error_of_hebbian_descent(activation):
    a, t, step = AWAY_FROM_KINKS, targets_for(activation), 1e-6
    for j in range(a.shape[1]):
        nudge = np.zeros_like(a)
        nudge[0, j] = step
        rise = (activation.matching_loss(t, a + nudge) - activation.matching_loss(t, a - nudge)).sum()
        assert rise / (2 * step) == pytest.approx((activation(a) - t)[0, j], rel=1e-6, abs=1e-7)


@every_activation
def test_closed_form_equals_the_definition(activation):
    a, t = AWAY_FROM_KINKS, targets_for(activation)
    coupling = t * a if activation.elementwise else (t * a).sum(axis=-1, keepdims=True)
    definition = activation.antiderivative(a) - coupling + activation.conjugate(t)
    np.testing.assert_allclose(activation.matching_loss(t, a), definition, rtol=1e-9, atol=1e-11)


@every_elementwise
@given(
    a=st.floats(-50, 50, allow_subnormal=False), share=st.floats(0.001, 0.999)
)  # half of 5e-324 rounds to 0
def test_never_negative_and_zero_exactly_where_the_output_is_the_target(activation, a, share):
    low, high = max(activation.domain.low, -20.0), min(activation.domain.high, 20.0)
    t = np.array([low + share * (high - low)])
    a = np.array([a])
    loss = activation.matching_loss(t, a)[0]
    assert loss >= 0
    h_below, h_above = activation(np.nextafter(a, -np.inf)), activation(np.nextafter(a, np.inf))
    if h_below <= t <= h_above:
        assert loss == pytest.approx(0, abs=1e-9)
    if loss == 0:
        # a loss of exactly 0 means that t is reached, up to the square root of rounding
        gap = max(h_below[0] - t[0], t[0] - h_above[0], 0.0)
        assert gap <= 1e-6 * max(1.0, abs(t[0]))


@every_activation
def test_zero_at_the_networks_own_output(activation):
    a = AWAY_FROM_KINKS
    np.testing.assert_allclose(activation.matching_loss(activation(a), a), 0, atol=1e-9)


@every_elementwise
def test_infinite_outside_the_domain_while_the_update_stays_defined(activation):
    domain = activation.domain
    outside = [end + sign for end, sign in ((domain.low, -0.1), (domain.high, 0.1)) if np.isfinite(end)]
    a = np.array([-3.0, -0.5, 0.0, 0.5, 3.0])
    for t in outside:
        targets = np.full_like(a, t)
        assert (activation.matching_loss(targets, a) == np.inf).all()
        assert np.isfinite(activation(a) - targets).all()


def test_the_ends_of_the_domain_belong_to_it_except_for_softsign():
    a = np.array([0.5])
    for name, end in [
        ("sigmoid", 1.0),
        ("step", 0.0),
        ("rectifier", 0.0),
        ("explin", -1.0),
        ("softplus", 0.0),
    ]:
        assert np.isfinite(get_activation(name).matching_loss(np.array([end]), a)).all(), name
    assert get_activation("softsign").matching_loss(np.array([1.0]), a) == np.inf
    scaled = get_activation("scaled_tanh", scale=1.7)
    assert np.isfinite(scaled.matching_loss(np.array([1.7, -1.7]), np.array([0.5, 0.5]))).all()


def test_softmax_is_infinite_off_the_simplex():
    softmax = get_activation("softmax")
    a = np.zeros((3, 2))
    t = np.array([[0.5, 0.5], [0.5, 0.6], [1.5, -0.5]])
    np.testing.assert_allclose(softmax.matching_loss(t, a)[:, 0], [0.0, np.inf, np.inf], atol=1e-15)


def test_step_has_the_perceptron_loss():
    step = get_activation("step")
    a = np.array([-2.0, -2.0, 3.0, 3.0, 0.0])
    t = np.array([0.0, 1.0, 0.0, 1.0, 0.7])
    np.testing.assert_array_equal(step.matching_loss(t, a), [0.0, 2.0, 3.0, 0.0, 0.0])


def test_large_numbers_do_not_cancel():
    a, t = np.array([1e4], np.float32), np.array([9999], np.float32)
    for name in ("linear", "rectifier", "explin", "leaky_rectifier", "inverse_sqrt_linear", "softplus"):
        assert get_activation(name).matching_loss(t, a)[0] == pytest.approx(0.5, rel=1e-3), name


def exact_parts(activation, t, a):
    """Φ(a), Φ*(t) with many digits, from the definition of each activation."""
    mp, p = mpmath, activation.parameters
    name = activation.name

    def below(kind, a):  # antiderivative of the branch for a < 0
        return {
            "explin": lambda: mp.exp(a) - 1 - a,
            "scaled_explin": lambda: p["scale"] * p["saturation"] * (mp.exp(a) - 1 - a),
            "leaky_rectifier": lambda: p["slope"] * a**2 / 2,
            "inverse_sqrt_linear": lambda: (mp.sqrt(1 + p["steepness"] * a**2) - 1) / p["steepness"],
            "rectifier": lambda: mp.mpf(0),
        }[kind]()

    if name in ("explin", "scaled_explin", "leaky_rectifier", "inverse_sqrt_linear", "rectifier"):
        slope = p.get("scale", mp.mpf(1))
        primitive = lambda a: slope * a**2 / 2 if a >= 0 else below(name, a)  # noqa: E731
    else:
        primitive = {
            "linear": lambda a: a**2 / 2,
            "sigmoid": lambda a: mp.log1p(mp.exp(a)),
            "step": lambda a: max(a, mp.mpf(0)),
            "scaled_tanh": lambda a: p["scale"] * mp.log(mp.cosh(a)),
            "approximate_step": lambda a: p["slope"] * a**2 / 2 + p["height"] * max(a, mp.mpf(0)),
            "softsign": lambda a: abs(a) - mp.log1p(abs(a)),
            "softplus": lambda a: -mp.polylog(2, -mp.exp(a)),
            "inverse_sqrt": lambda a: (mp.sqrt(1 + p["steepness"] * a**2) - 1) / p["steepness"],
            "exponential": mp.exp,
        }[name]
    inverse = {
        "linear": lambda t: t,
        "rectifier": lambda t: t,
        "leaky_rectifier": lambda t: t if t >= 0 else t / p["slope"],
        "sigmoid": lambda t: mp.log(t / (1 - t)),
        "step": lambda t: mp.mpf(0),
        "explin": lambda t: t if t >= 0 else mp.log1p(t),
        "scaled_explin": lambda t: (
            t / p["scale"] if t >= 0 else mp.log1p(t / (mp.mpf(p["scale"]) * p["saturation"]))
        ),
        "scaled_tanh": lambda t: mp.atanh(t / p["scale"]),
        "approximate_step": lambda t: (t - min(max(t, mp.mpf(0)), p["height"])) / p["slope"],
        "inverse_sqrt_linear": lambda t: t if t >= 0 else t / mp.sqrt(1 - p["steepness"] * t**2),
        "inverse_sqrt": lambda t: t / mp.sqrt(1 - p["steepness"] * t**2),
        "softsign": lambda t: t / (1 - abs(t)),
        "softplus": lambda t: mp.log(mp.expm1(t)),
        "exponential": mp.log,
    }[name]
    peak = inverse(t)
    return primitive(a), t * peak - primitive(peak)


@pytest.mark.parametrize("activation", ELEMENTWISE, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_accurate_to_rounding_of_the_antiderivative(activation, dtype):
    eps = np.finfo(dtype).eps
    activities = [-300.0, -30.0, -2.5, -0.3, -1e-4, 1e-4, 0.3, 2.5, 30.0, 300.0]
    if activation.name == "exponential":
        activities = [a for a in activities if abs(a) <= 30]
    low, high = activation.domain.low, activation.domain.high
    wished = [-200.0, -0.9, -0.1, 0.05, 0.5, 0.9, 40.0, 299.0]
    with mpmath.workdps(60):
        for t in (t for t in wished if low < t < high):
            for a in activities:
                t_, a_ = np.array([t], dtype), np.array([a], dtype)
                primitive, conjugate = exact_parts(
                    activation, mpmath.mpf(float(t_[0])), mpmath.mpf(float(a_[0]))
                )
                exact = primitive - mpmath.mpf(float(t_[0])) * mpmath.mpf(float(a_[0])) + conjugate
                allowed = 4 * eps * max(1.0, float(abs(primitive)), float(exact))
                assert abs(float(activation.matching_loss(t_, a_)[0] - exact)) <= allowed, (t, a)


def test_of_a_whole_batch_is_one_number_a_pattern():
    a = np.array([[0.0, 2.0], [1.0, -1.0]])
    t = np.array([[0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(matching_loss("linear", t, a), [0.5, 1.0])
    np.testing.assert_allclose(matching_loss("softmax", [[0.5, 0.5]], [[3.0, 3.0]]), [0.0], atol=1e-15)


def test_of_a_users_own_activation_comes_from_its_antiderivative_and_conjugate():
    cubic = Activation(
        "cube_root",
        value=np.cbrt,
        antiderivative=lambda a: 0.75 * np.cbrt(a) ** 4,
        conjugate=lambda t: t**4 / 4,
    )
    a, t = np.array([[2.0, -1.0]]), np.array([[0.5, -1.0]])
    np.testing.assert_allclose(cubic.matching_loss(t, a)[0, 1], 0, atol=1e-15)
    assert cubic.matching_loss(t, a)[0, 0] > 0
    with pytest.raises(ValueError, match=r"needs its antiderivative and conjugate"):
        matching_loss(Activation("bare", value=np.cbrt), t, a)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"targets must have 2 columns"):
        matching_loss("linear", [[1.0]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"as many rows as the preactivation, 1. Got 2"):
        matching_loss("linear", [[1.0], [2.0]], [[1.0]])
