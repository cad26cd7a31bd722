"""Losses L(t, h) with their derivatives, and the matching loss of an activation.

A loss is summed over the outputs of a pattern. Its `error` is ∂L/∂h, so gradient descent with
`error=loss.error` minimises it, and Hebbian-descent with the same error minimises another loss, which
depends on the activation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import xlog1py, xlogy

from hebbian_descent.checks import Array, as_patterns
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.network.activations.scaled_tanh import log_cosh
from hebbian_descent.rules.base import ErrorFunction
from hebbian_descent.rules.error_terms import difference, saturating
from hebbian_descent.rules.error_terms import leaky_hinge as leaky_hinge_error


@dataclass(frozen=True)
class Loss:
    """A loss of targets and outputs, element by element, with its derivative in the output."""

    name: str
    elements: Callable[[Array, Array], Array]
    error: ErrorFunction

    def __call__(self, targets: Array, output: Array) -> Array:
        """Return the loss of each pattern."""
        loss: Array = self.elements(targets, output).sum(axis=-1)
        return loss


def squared_error() -> Loss:
    """L = ½(h − t)²."""
    return Loss("squared_error", lambda t, h: (h - t) ** 2 / 2, difference())


def cross_entropy() -> Loss:
    """L = −t ln h − (1 − t) ln(1 − h), for outputs that are independent probabilities.

    Its error divides by h(1 − h), which sigmoid units multiply again; Hebbian-descent skips both.
    """
    return Loss(
        "cross_entropy",
        lambda t, h: -xlogy(t, h) - xlog1py(1 - t, -h),
        lambda t, h: (h - t) / _not_zero(h * (1 - h)),
    )


def categorical_cross_entropy() -> Loss:
    """L = −Σ t ln h, for outputs that are the probabilities of classes and targets that sum to one."""
    return Loss(
        "categorical_cross_entropy",
        lambda t, h: -xlogy(t, h),
        lambda t, h: -t / _not_zero(h),
    )


def smooth_huber(saturation: float = 1.0, steepness: float = 1.0) -> Loss:
    """L = (saturation/steepness)·ln cosh(steepness·(h − t)): a parabola that turns into straight lines.

    Paper: fig:reg_loss_HD
    """
    error = saturating(saturation, steepness)
    alpha, beta = error.parameters["saturation"], error.parameters["steepness"]
    return Loss("smooth_huber", lambda t, h: alpha / beta * log_cosh(beta * (h - t)), error)


def leaky_hinge(leak: float = 0.01) -> Loss:
    """L = 1 − t·h while t·h < 1, then leak·(h − t), for targets of −1 and 1; continuous at the margin."""
    error = leaky_hinge_error(leak)
    alpha = error.parameters["leak"]
    return Loss("leaky_hinge", lambda t, h: np.where(t * h < 1, 1 - t * h, alpha * (h - t)), error)


LOSSES: dict[str, Callable[..., Loss]] = {
    "squared_error": squared_error,
    "cross_entropy": cross_entropy,
    "categorical_cross_entropy": categorical_cross_entropy,
    "smooth_huber": smooth_huber,
    "leaky_hinge": leaky_hinge,
}


def matching_loss(
    activation: str | Activation, targets: npt.ArrayLike, preactivation: npt.ArrayLike
) -> Array:
    """Return the loss that Hebbian-descent minimises, for each pattern: Σⱼ Φ(aⱼ) − tⱼaⱼ + Φ*(tⱼ).

    Its gradient in a is h − t for every activation. It is +inf for targets outside the activation's domain,
    where h − t is still a valid update.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """
    a = as_patterns(preactivation, "preactivation")
    t = as_patterns(targets, "targets", dtype=a.dtype, n_columns=a.shape[1])
    if len(t) != len(a):
        raise ValueError(f"The targets must have as many rows as the preactivation, {len(a)}. Got {len(t)}.")
    loss: Array = get_activation(activation).matching_loss(t, a).sum(axis=-1)
    return loss


def _not_zero(values: Array) -> Array:
    floor: Array = np.maximum(values, np.finfo(values.dtype).tiny)
    return floor
