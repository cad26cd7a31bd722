"""Exponential units: rates of counts, the canonical choice for Poisson targets."""

import numpy as np
from scipy.special import xlogy

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def exponential() -> Activation:
    """Return φ(a) = eᵃ, which silently overflows to inf; its matching loss is half the Poisson deviance."""
    return Activation(
        name="exponential",
        compiled="exponential",
        value=_value,
        pull_back=lambda error, a, h: error * h,
        antiderivative=_value,
        conjugate=lambda t: xlogy(t, t) - t,
        stable_matching_loss=lambda t, a: xlogy(t, t) - t * a + (_value(a) - t),
        domain=Interval(0, np.inf),
        output_range=(0.0, np.inf),
        strictly_increasing=True,
        slope_is_output=True,
    )


def _value(a: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.exp(a)
