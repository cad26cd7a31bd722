"""Softsign units: outputs of both signs that saturate slowly, like 1/a."""

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def softsign() -> Activation:
    """Return φ(a) = a / (1 + |a|); its matching loss is infinite even at t = ±1, the ends of its range."""
    return Activation(
        name="softsign",
        compiled="softsign",
        value=lambda a: a / (1 + np.abs(a)),
        pull_back=lambda error, a, h: error / (1 + np.abs(a)) ** 2,
        antiderivative=lambda a: np.abs(a) - np.log1p(np.abs(a)),
        conjugate=lambda t: -np.abs(t) - np.log1p(-np.abs(t)),
        stable_matching_loss=_matching_loss,
        domain=Interval(-1, 1, open_ends=True),
        output_range=(-1.0, 1.0),
        largest_slope=1.0,
        strictly_increasing=True,
    )


def _matching_loss(t: Array, a: Array) -> Array:
    # With z = (1 + |a|)(1 − |t|) the loss is z − 1 − ln z where a and t have the same sign; where they
    # do not, −t·a is positive and adds 2|t·a| to that.
    A, T = np.abs(a), np.abs(t)
    excess = A - T - A * T  # z − 1
    loss: Array = excess - (np.log1p(A) + np.log1p(-T)) + np.where(a * t < 0, 2 * A * T, 0)
    return loss
