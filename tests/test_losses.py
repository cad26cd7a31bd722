"""Losses and error terms: value and derivative are a pair, also in the paper's table of losses."""

import numpy as np
import pytest

from hebbian_descent import ERROR_TERMS, LOSSES, get_activation, get_error_term
from hebbian_descent.theory.loss_table import (
    LOSS_TABLE,
    approximate_step_row,
    inverse_sqrt_linear_row,
    inverse_sqrt_row,
    leaky_rectifier_row,
    linear_hinge_row,
    scaled_explin_row,
    scaled_tanh_row,
    sigmoid_hinge_row,
    smooth_huber_row,
    softplus_row,
)

STEP = 1e-6
PROBABILITIES = np.array([[0.05, 0.2, 0.45, 0.7, 0.96]])
ZERO_ONE = np.array([[0.1, 0.9, 0.5, 0.0, 1.0]])
PLUS_MINUS = np.array([[1.0, -1.0, 1.0, -1.0, 1.0]])

ROWS = [
    *(make() for make in LOSS_TABLE),
    scaled_tanh_row(scale=1.5),
    approximate_step_row(slope=0.3, height=0.6),
    leaky_rectifier_row(slope=0.2),
    scaled_explin_row(scale=1.3, saturation=0.8),
    inverse_sqrt_linear_row(steepness=2.0),
    inverse_sqrt_row(steepness=0.5),
    smooth_huber_row(saturation=2.0, steepness=3.0),
]
ROW_NAMES = [f"{row.activation}-{row.error.name}" for row in ROWS]
every_row = pytest.mark.parametrize("row", ROWS, ids=ROW_NAMES)


def targets_of(row):
    if row.error.target_values:
        return np.resize(PLUS_MINUS, (1, 8))
    if row.activation.name == "softmax":
        return np.full((1, 8), 0.125)
    return np.linspace(0.1, 0.9, 8)[None] * min(1.0, row.activation.output_range[1])


@pytest.mark.parametrize("name", LOSSES)
def test_error_of_a_loss_is_its_derivative_in_the_output(name):
    loss = LOSSES[name]()
    t = PLUS_MINUS if name == "leaky_hinge" else ZERO_ONE
    for h in (PROBABILITIES, *([PROBABILITIES * 3 - 1.4] if "entropy" not in name else [])):
        slope = (loss.elements(t, h + STEP) - loss.elements(t, h - STEP)) / (2 * STEP)
        np.testing.assert_allclose(loss.error(t, h), slope, rtol=1e-6, atol=1e-8)


def test_a_loss_sums_over_the_outputs_of_a_pattern():
    t, h = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(LOSSES["squared_error"]()(t, h), [0.5, 1.0])


def test_smooth_huber_is_a_parabola_near_zero_and_straight_far_out():
    huber = LOSSES["smooth_huber"](saturation=2.0, steepness=0.5)
    zero = np.zeros((1, 1))
    assert huber(zero, zero + 1e-3)[0] == pytest.approx(0.5 * 2 * 0.5 * 1e-6, rel=1e-6)
    assert huber(zero, zero + 1e6)[0] - huber(zero, zero + 1e6 - 1)[0] == pytest.approx(2.0)


def test_saturating_error_never_exceeds_its_bound():
    error = get_error_term("saturating", saturation=0.5, steepness=10.0)
    largest = np.abs(error(np.zeros(3), np.array([-1e6, 0.01, 1e6]))).max()
    assert 0.5 * (1 - 1e-15) <= largest <= 0.5
    assert error(np.zeros(1), np.array([1e-6]))[0] == pytest.approx(0.5 * 10 * 1e-6)


def test_any_function_of_targets_and_output_is_an_error_term():
    def signed_square(t, h):
        return (h - t) * np.abs(h - t)

    error = get_error_term(signed_square)
    assert error.name == "signed_square"
    assert error(np.array([1.0]), np.array([3.0])) == 4.0


def test_unknown_error_terms_get_a_suggestion():
    with pytest.raises(
        ValueError, match=r"one of difference, leaky_hinge, saturating. Got 'diference'. Did you"
    ):
        get_error_term("diference")
    assert set(ERROR_TERMS) == {"difference", "saturating", "leaky_hinge"}


@every_row
def test_quotient_of_the_table_is_the_error_over_the_derivative(row):
    a = np.array([[-2.1, -1.3, -0.6, -0.1, 0.2, 0.8, 1.4, 2.3]])
    h, t = row.activation(a), targets_of(row)
    if row.activation.name == "softmax":  # no quotient by elements: pulled back, it gives the error
        np.testing.assert_allclose(row.activation.pull_back(row.quotient(t, h, a), a, h), h - t, atol=1e-12)
        return
    slope = row.activation.pull_back(np.ones_like(a), a, h)
    np.testing.assert_allclose(row.quotient(t, h, a), row.error(t, h) / slope, rtol=1e-9)


@every_row
def test_loss_of_the_table_has_the_quotient_as_derivative_in_the_output(row):
    a = np.array([[-2.1, -1.3, -0.6, -0.1, 0.2, 0.8, 1.4, 2.3]])
    h, t = row.activation(a), targets_of(row)
    slope = (row.loss(t, h + STEP, a) - row.loss(t, h - STEP, a)) / (2 * STEP)
    np.testing.assert_allclose(slope, row.quotient(t, h, a), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row.error.name == "difference" and not row.frozen],
    ids=lambda r: str(r.activation),
)
def test_loss_of_the_table_is_the_matching_loss_up_to_a_constant(row):
    a = np.linspace(-3, 3, 8)[None]
    t = targets_of(row)
    printed = row.loss(t, row.activation(a), a)
    if not row.activation.elementwise:
        printed = printed.sum(axis=-1, keepdims=True)
    at_zero = np.zeros_like(a)
    printed_at_zero = row.loss(t, row.activation(at_zero), at_zero)
    if not row.activation.elementwise:
        printed_at_zero = printed_at_zero.sum(axis=-1, keepdims=True)
    matching = row.activation.matching_loss
    np.testing.assert_allclose(
        printed - printed_at_zero, matching(t, a) - matching(t, at_zero), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("row", [row for row in ROWS if row.frozen], ids=lambda r: str(r.activation))
def test_frozen_losses_are_not_losses_of_their_own(row):
    """Without freezing, the derivative is another one: the matching loss is the function that was meant."""
    a, t = np.array([[-1.2]]), np.array([[0.4]])

    def printed(a):
        return row.loss(t, row.activation(a), a)

    slope_in_a = (printed(a + STEP) - printed(a - STEP)) / (2 * STEP)
    assert abs(slope_in_a - (row.activation(a) - t)) > 0.02


@pytest.mark.parametrize(
    "row",
    [approximate_step_row(0.3, 0.6), leaky_rectifier_row(0.2), scaled_explin_row()],
    ids=lambda row: str(row.activation),
)
def test_piecewise_losses_do_not_jump_where_their_branches_meet(row):
    t = np.linspace(-0.9, 1.9, 7)
    below, above = np.full_like(t, -1e-12), np.full_like(t, 1e-12)
    gap = row.loss(t, row.activation(above), above) - row.loss(t, row.activation(below), below)
    np.testing.assert_allclose(gap, 0, atol=1e-9)


def test_leaky_hinge_does_not_jump_at_the_margin():
    row, t = linear_hinge_row(leak=0.3), np.array([1.0, -1.0])
    inside, outside = t * (1 - 1e-12), t * (1 + 1e-12)
    np.testing.assert_allclose(row.loss(t, inside, inside), row.loss(t, outside, outside), atol=1e-9)


def test_printed_piecewise_losses_do_jump():
    t = np.array([0.5])
    slope = 0.2  # leaky rectifier as printed: (h − t)²/2α below, (h − t)²/2 above
    assert abs(t**2 / (2 * slope) - t**2 / 2)[0] > 0.1


def test_printed_denominator_of_scaled_explin_has_the_wrong_sign():
    row = scaled_explin_row()
    floor = row.activation.parameters["scale"] * row.activation.parameters["saturation"]
    a, t = np.array([-1.0]), np.array([0.3])
    h = row.activation(a)
    error_over_slope = (h - t) / row.activation.pull_back(np.ones(1), a, h)
    np.testing.assert_allclose((h - t) / (h + floor), error_over_slope)
    assert abs((h - t) / (h - floor) - error_over_slope)[0] > 0.1


@pytest.mark.parametrize("make", [inverse_sqrt_linear_row, inverse_sqrt_row])
def test_printed_inverse_square_root_divides_where_it_should_multiply(make):
    row = make(steepness=2.0)
    a, t = np.array([-1.0]), np.array([0.3])
    h = row.activation(a)
    error_over_slope = (h - t) / row.activation.pull_back(np.ones(1), a, h)
    np.testing.assert_allclose((h - t) * 3**1.5, error_over_slope)
    assert abs((h - t) / 3**1.5 - error_over_slope)[0] > 1


def test_softplus_row_reads_the_unbalanced_parentheses_as_one_plus_exp():
    row = softplus_row()
    a, t = np.array([0.7]), np.array([0.3])
    h = row.activation(a)
    np.testing.assert_allclose(row.quotient(t, h, a), (h - t) * (1 + np.exp(-a)))
    np.testing.assert_allclose(row.loss(t, h, a), (h - t) ** 2 * (1 + np.exp(-a)) / 2)


def test_printed_binary_cross_entropy_is_wrong_for_softmax():
    softmax = get_activation("softmax")
    a, t = np.array([[0.3, -0.5, 1.0]]), np.array([[0.2, 0.5, 0.3]])
    h = softmax(a)
    binary, categorical = LOSSES["cross_entropy"](), LOSSES["categorical_cross_entropy"]()
    np.testing.assert_allclose(softmax.pull_back(categorical.error(t, h), a, h), h - t)
    assert np.abs(softmax.pull_back(binary.error(t, h), a, h) - (h - t)).max() > 0.05


def test_printed_leak_drives_outputs_down_whatever_the_target_is():
    error = get_error_term("leaky_hinge", leak=0.3)
    t, within, beyond = np.array([1.0, -1.0]), np.array([0.5, -0.5]), np.array([2.0, -2.0])
    np.testing.assert_allclose(error(-t, -within), -error(t, within))  # both classes are treated alike
    np.testing.assert_allclose(error(t, beyond), 0.3)  # toward the margin for 1, away from it for −1
    toward_the_margin = 0.3 * t
    assert not np.allclose(error(-t, -beyond), -error(t, beyond))
    np.testing.assert_allclose(np.sign(toward_the_margin), np.sign(beyond - t))


def test_printed_hinge_of_sigmoid_units_has_a_wrong_sign():
    row = sigmoid_hinge_row()
    h, t = np.array([0.3]), np.array([1.0])
    printed = lambda h: -t * np.log(h) - np.log(1 - h)  # noqa: E731
    slope = (printed(h + STEP) - printed(h - STEP)) / (2 * STEP)
    assert abs(slope - row.quotient(t, h, h))[0] > 1


def test_printed_hinge_of_sigmoid_units_leaves_out_the_leak_of_the_second_term():
    """Beyond the margin the derivative in h must be α/(h(1 − h)); that of −ln(1 − h) alone is 1/(1 − h)."""
    leak, h = 0.01, np.array([0.3])
    expected = leak / (h * (1 - h))
    for loss, is_right in (
        (lambda h: leak * np.log(h) - np.log(1 - h), False),
        (lambda h: leak * (np.log(h) - np.log(1 - h)), True),
    ):
        slope = (loss(h + STEP) - loss(h - STEP)) / (2 * STEP)
        assert np.allclose(slope, expected, rtol=1e-5) == is_right
