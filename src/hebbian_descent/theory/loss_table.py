"""The paper's table of Hebbian-descent losses, row by row, in its corrected form.

Each row gives E/φ′ and the loss whose derivative in h it is. Rows whose integral the paper could not solve
freeze a quantity: there `frozen` is true and the preactivation counts as a constant in the derivative. The
matching loss needs no such freezing; it differs from the other difference rows only by a constant.

Constants of integration are chosen so that a loss with two branches is continuous where they meet.

Paper: tab:list_HD_loss_functions
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import xlog1py, xlogy

from hebbian_descent.checks import Array
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules.error_terms import ErrorTerm, difference, leaky_hinge, saturating
from hebbian_descent.rules.losses import leaky_hinge as leaky_hinge_loss
from hebbian_descent.rules.losses import smooth_huber, squared_error

Cell = Callable[[Array, Array, Array], Array]
"""(t, h, a) → the entry of a cell, element by element."""


@dataclass(frozen=True)
class Row:
    """One row of the table: an activation and an error term with their loss."""

    activation: Activation
    error: ErrorTerm
    quotient: Cell
    """E(t, h) / φ′(a)."""
    loss: Cell
    frozen: bool = False


def linear_row() -> Row:
    """Squared error."""
    loss = squared_error()
    return Row(get_activation("linear"), difference(), lambda t, h, a: h - t, _of_output(loss.elements))


def sigmoid_row() -> Row:
    """Cross entropy."""
    return Row(
        get_activation("sigmoid"),
        difference(),
        lambda t, h, a: (h - t) / (h * (1 - h)),
        lambda t, h, a: -xlogy(t, h) - xlog1py(1 - t, -h),
    )


def softmax_row() -> Row:
    """Categorical cross entropy; its quotient is the one whose pull-back through softmax is h − t."""
    return Row(get_activation("softmax"), difference(), lambda t, h, a: -t / h, lambda t, h, a: -xlogy(t, h))


def scaled_tanh_row(scale: float = 1.0) -> Row:
    """Two logarithms, one for each saturating side."""
    return Row(
        get_activation("scaled_tanh", scale=scale),
        difference(),
        lambda t, h, a: (h - t) / (scale - h * h / scale),
        lambda t, h, a: -((scale + t) * np.log(scale + h) + (scale - t) * np.log(scale - h)) / 2,
    )


def approximate_step_row(slope: float = 0.01, height: float = 1.0) -> Row:
    """Two parabolas over a, joined at a = 0 where h jumps by `height`."""

    def loss(t: Array, h: Array, a: Array) -> Array:
        join = np.where(a >= 0, (t**2 - (height - t) ** 2) / (2 * slope), 0)
        return (h - t) ** 2 / (2 * slope) + join

    return Row(
        get_activation("approximate_step", slope=slope, height=height),
        difference(),
        lambda t, h, a: (h - t) / slope,
        loss,
    )


def leaky_rectifier_row(slope: float = 0.01) -> Row:
    """Two parabolas over h, joined at h = 0."""

    def loss(t: Array, h: Array, a: Array) -> Array:
        below = (h - t) ** 2 / (2 * slope) + t**2 / 2 - t**2 / (2 * slope)
        return np.where(a >= 0, (h - t) ** 2 / 2, below)

    return Row(
        get_activation("leaky_rectifier", slope=slope),
        difference(),
        lambda t, h, a: np.where(a >= 0, h - t, (h - t) / slope),
        loss,
    )


def scaled_explin_row(scale: float = 1.0507009873554805, saturation: float = 1.6732632423543772) -> Row:
    """A logarithm below 0, a parabola above, joined at h = 0; the denominator is h + λα, not h − λα."""
    floor = scale * saturation

    def loss(t: Array, h: Array, a: Array) -> Array:
        below = np.minimum(h, 0)
        logarithm = below - (t + floor) * np.log1p(below / floor) + t**2 / (2 * scale)
        return np.where(a >= 0, (h - t) ** 2 / (2 * scale), logarithm)

    return Row(
        get_activation("scaled_explin", scale=scale, saturation=saturation),
        difference(),
        lambda t, h, a: np.where(a >= 0, (h - t) / scale, (h - t) / (np.minimum(h, 0) + floor)),
        loss,
    )


def inverse_sqrt_linear_row(steepness: float = 1.0) -> Row:
    """A parabola whose width (αa² + 1)^{3/2} is frozen below 0; it multiplies, in the quotient as well."""

    def width(a: Array) -> Array:
        return (steepness * np.minimum(a, 0) ** 2 + 1) ** 1.5

    activation = get_activation("inverse_sqrt_linear", steepness=steepness)
    return _frozen_parabola(activation, width)


def softsign_row() -> Row:
    """A parabola with the frozen width (1 + |a|)²."""
    return _frozen_parabola(get_activation("softsign"), lambda a: (1 + np.abs(a)) ** 2)


def softplus_row() -> Row:
    """A parabola with the frozen width 1 + e⁻ᵃ."""
    return _frozen_parabola(get_activation("softplus"), lambda a: 1 + np.exp(-a))


def inverse_sqrt_row(steepness: float = 1.0) -> Row:
    """A parabola with the frozen width (αa² + 1)^{3/2}, which multiplies, in the quotient as well."""
    activation = get_activation("inverse_sqrt", steepness=steepness)
    return _frozen_parabola(activation, lambda a: (steepness * a * a + 1) ** 1.5)


def smooth_huber_row(saturation: float = 1.0, steepness: float = 1.0) -> Row:
    """Linear units with the saturating error term."""
    error = saturating(saturation, steepness)
    loss = smooth_huber(saturation, steepness)
    return Row(get_activation("linear"), error, lambda t, h, a: error(t, h), _of_output(loss.elements))


def linear_hinge_row(leak: float = 0.01) -> Row:
    """Linear units with the leaky hinge."""
    error = leaky_hinge(leak)
    loss = leaky_hinge_loss(leak)
    return Row(get_activation("linear"), error, lambda t, h, a: error(t, h), _of_output(loss.elements))


def sigmoid_hinge_row(leak: float = 0.01) -> Row:
    """Sigmoid units with the leaky hinge: −t ln h + t ln(1 − h).

    Beyond the margin it would be leak·(ln h − ln(1 − h)), but sigmoid outputs never get there.
    """
    error = leaky_hinge(leak)

    def loss(t: Array, h: Array, a: Array) -> Array:
        log_odds: Array = np.log(h) - np.log1p(-h)
        return error(t, h) * log_odds

    return Row(get_activation("sigmoid"), error, lambda t, h, a: error(t, h) / (h * (1 - h)), loss)


LOSS_TABLE: tuple[Callable[..., Row], ...] = (
    linear_row,
    sigmoid_row,
    softmax_row,
    scaled_tanh_row,
    approximate_step_row,
    leaky_rectifier_row,
    scaled_explin_row,
    inverse_sqrt_linear_row,
    softsign_row,
    softplus_row,
    inverse_sqrt_row,
    smooth_huber_row,
    linear_hinge_row,
    sigmoid_hinge_row,
)


def _frozen_parabola(activation: Activation, width: Callable[[Array], Array]) -> Row:
    return Row(
        activation,
        difference(),
        lambda t, h, a: width(a) * (h - t),
        lambda t, h, a: width(a) * (h - t) ** 2 / 2,
        frozen=True,
    )


def _of_output(loss: Callable[[Array, Array], Array]) -> Cell:
    return lambda t, h, a: loss(t, h)
