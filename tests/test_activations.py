"""Values, pull-backs, antiderivatives and conjugates belong together, for every member of the registry."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from hebbian_descent import ACTIVATIONS, Activation, get_activation

SETTINGS = {
    "scaled_tanh": [{"scale": 1.7}],
    "approximate_step": [{"slope": 0.2, "height": 0.5}],
    "leaky_rectifier": [{"slope": 0.3}, {"slope": 2.0}],
    "scaled_explin": [{"scale": 0.7, "saturation": 1.4}],
    "inverse_sqrt_linear": [{"steepness": 2.5}],
    "inverse_sqrt": [{"steepness": 0.4}],
}
EVERY = [get_activation(name, **p) for name in ACTIVATIONS for p in [{}, *SETTINGS.get(name, [])]]
ELEMENTWISE = [activation for activation in EVERY if activation.elementwise]

AWAY_FROM_KINKS = np.array([[-6.0, -2.5, -1.1, -0.4, -0.05, 0.07, 0.3, 0.9, 2.2, 5.0]])

every_activation = pytest.mark.parametrize("activation", EVERY, ids=str)
every_elementwise = pytest.mark.parametrize("activation", ELEMENTWISE, ids=str)


def targets_inside(activation, n=7):
    """Points well inside the domain of the conjugate."""
    low, high = max(activation.domain.low, -3.0), min(activation.domain.high, 3.0)
    return np.linspace(low, high, n + 2)[1:-1]


@every_activation
def test_pull_back_is_the_transposed_jacobian_of_the_value(activation):
    a = AWAY_FROM_KINKS
    error = np.random.default_rng(1).normal(size=a.shape)
    pulled = activation.pull_back(error, a, activation(a))
    step = 1e-6
    for j in range(a.shape[1]):
        nudge = np.zeros_like(a)
        nudge[0, j] = step
        slope = (activation(a + nudge) - activation(a - nudge)) / (2 * step)
        assert pulled[0, j] == pytest.approx((error * slope).sum(), rel=1e-6, abs=1e-8)


@every_activation
def test_value_is_the_derivative_of_the_antiderivative(activation):
    a, step = AWAY_FROM_KINKS, 1e-6
    for j in range(a.shape[1]):
        nudge = np.zeros_like(a)
        nudge[0, j] = step
        rise = (activation.antiderivative(a + nudge) - activation.antiderivative(a - nudge)).sum()
        assert rise / (2 * step) == pytest.approx(activation(a)[0, j], rel=1e-6, abs=1e-8)


@every_elementwise
def test_conjugate_is_the_largest_gap_between_line_and_antiderivative(activation):
    for t in targets_inside(activation):
        found = minimize_scalar(
            lambda a, t=t: float(activation.antiderivative(np.array([a]))[0] - t * a),
            bounds=(-400, 400) if activation.name != "exponential" else (-40, 5),
            method="bounded",
            options={"xatol": 1e-12, "maxiter": 2000},
        )
        assert activation.conjugate(np.array([t]))[0] == pytest.approx(-found.fun, rel=1e-6, abs=1e-6)


def test_conjugate_of_softmax_is_the_largest_gap_too():
    softmax = get_activation("softmax")
    t = np.array([[0.2, 0.5, 0.3]])
    found = minimize(lambda a: float(softmax.antiderivative(a[None])[0, 0] - t[0] @ a), np.zeros(3))
    assert softmax.conjugate(t)[0, 0] == pytest.approx(-found.fun, abs=1e-8)


@every_activation
@pytest.mark.parametrize(("dtype", "largest"), [(np.float64, 1e6), (np.float32, 1e4)])
def test_no_warning_no_nan_and_the_same_dtype_far_out(activation, dtype, largest):
    far = np.concatenate([[0.0], np.geomspace(1e-30, largest, 40)]).astype(dtype)
    a = np.concatenate([-far, far]).reshape(-1, 2)
    h = activation(a)
    t = np.full_like(a, 0.5)
    results = {
        "value": h,
        "pull_back": activation.pull_back(np.ones_like(a), a, np.nan_to_num(h, posinf=1.0)),
        "antiderivative": activation.antiderivative(a),
        "conjugate": activation.conjugate(t),
        "matching_loss": activation.matching_loss(t, a),
    }
    for what, result in results.items():
        assert result.dtype == dtype, what
        assert not np.isnan(result).any(), what
        if activation.name != "exponential":
            assert np.isfinite(result).all(), what
    assert (h >= activation.output_range[0]).all()
    assert (h <= activation.output_range[1]).all()


@every_elementwise
def test_stated_slopes_are_those_of_the_function(activation):
    a = np.concatenate([np.linspace(-8, 8, 4001), [-1e-9, 40.0]])[None]
    slope = activation.pull_back(np.ones_like(a), a, activation(a))
    jumps = activation.name in ("step", "approximate_step")
    if not jumps and activation.name != "exponential":
        assert slope.max() == pytest.approx(activation.largest_slope, rel=1e-5)
    assert (slope[np.abs(a) <= 8] > 0).all() == activation.strictly_increasing


def test_largest_slope_of_softmax_is_reached_between_two_equal_classes():
    softmax = get_activation("softmax")
    a = np.array([[0.0, 0.0, -50.0]])
    direction = np.array([[1.0, -1.0, 0.0]]) / np.sqrt(2)
    pulled = softmax.pull_back(direction, a, softmax(a))
    assert np.linalg.norm(pulled) == pytest.approx(softmax.largest_slope)


KINKS = [  # activation, a, value, derivative: decided once, pinned here
    ("step", 0.0, 0.0, 0.0),
    ("rectifier", 0.0, 0.0, 0.0),
    ("explin", 0.0, 0.0, 1.0),
    ("approximate_step", 0.0, 1.0, 0.01),
    ("leaky_rectifier", 0.0, 0.0, 1.0),
    ("scaled_explin", 0.0, 0.0, 1.0507009873554805),
    ("inverse_sqrt_linear", 0.0, 0.0, 1.0),
    ("softsign", 0.0, 0.0, 1.0),
]


@pytest.mark.parametrize(("name", "a", "value", "derivative"), KINKS)
def test_kinks_and_jumps_have_decided_values(name, a, value, derivative):
    activation = get_activation(name)
    for signed_zero in (np.array([[a]]), -np.array([[a]])):
        assert activation(signed_zero) == value
        assert activation.pull_back(np.ones((1, 1)), signed_zero, activation(signed_zero)) == derivative


def test_sigmoid_derivative_at_4_is_not_what_the_paper_prints():
    sigmoid = get_activation("sigmoid")
    a = np.array([4.0])
    assert sigmoid.pull_back(np.ones(1), a, sigmoid(a))[0] == pytest.approx(0.0177, abs=5e-5)


def test_parameters_are_taken_by_name_and_shown():
    activation = get_activation("scaled_explin", scale=2.0, saturation=0.5)
    assert str(activation) == "scaled_explin(scale=2, saturation=0.5)"
    assert activation(np.array([3.0])) == 6.0
    assert str(get_activation("sigmoid")) == "sigmoid"


def test_a_users_own_activation_is_passed_through():
    square = Activation("signed_square", value=lambda a: a * np.abs(a))
    assert get_activation(square) is square


def test_unknown_activation_gets_a_suggestion():
    with pytest.raises(
        ValueError, match=r"one of approximate_step, .* Got 'sigmiod'. Did you mean 'sigmoid'\?"
    ):
        get_activation("sigmiod")


def test_unknown_or_impossible_parameters_are_refused():
    with pytest.raises(TypeError, match=r"parameters of 'leaky_rectifier' must be among: slope. Got alpha"):
        get_activation("leaky_rectifier", alpha=0.1)
    with pytest.raises(TypeError, match=r"parameters of 'linear' must be among: none. Got slope"):
        get_activation("linear", slope=0.1)
    with pytest.raises(ValueError, match=r"slope of leaky_rectifier must be above 0. Got -1"):
        get_activation("leaky_rectifier", slope=-1)
    with pytest.raises(TypeError, match=r"scale of scaled_tanh must be a number. Got 'big'"):
        get_activation("scaled_tanh", scale="big")
