"""Softplus units: a smooth rectifier."""

import numpy as np
from scipy.special import expit, spence

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.activations.sigmoid import softplus_value
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def softplus() -> Activation:
    """Return φ(a) = ln(1 + eᵃ); its antiderivative is a dilogarithm, −Li₂(−eᵃ)."""
    return Activation(
        name="softplus",
        compiled="softplus",
        value=softplus_value,
        pull_back=lambda error, a, h: error * expit(a),
        antiderivative=lambda a: np.maximum(a, 0) ** 2 / 2 + _rest(a),
        conjugate=_conjugate,
        stable_matching_loss=_matching_loss,
        domain=Interval(0, np.inf),
        output_range=(0.0, np.inf),
        largest_slope=1.0,
        strictly_increasing=True,
    )


def _rest(a: Array) -> Array:
    # Φ(a) − max(a, 0)²/2, between 0 and π²/6. By the reflection Φ(a) + Φ(−a) = a²/2 + π²/6 the dilogarithm
    # is only evaluated where it cannot overflow.
    tail = -spence(1 + np.exp(-np.abs(a)))
    return np.where(a > 0, np.pi**2 / 6 - tail, tail)


def _inverse(t: Array) -> Array:
    # ln(eᵗ − 1); the smallest normal number stands in for 0, whose inverse is −∞.
    t = np.maximum(t, np.finfo(t.dtype).tiny)
    return t + np.log(-np.expm1(-t))


def _conjugate(t: Array) -> Array:
    a = _inverse(t)
    return t * a - np.maximum(a, 0) ** 2 / 2 - _rest(a)


def _matching_loss(t: Array, a: Array) -> Array:
    # L = Φ(a) − Φ(â) − t·(a − â) with â = φ⁻¹(t): the large squares are subtracted analytically.
    peak = _inverse(t)
    both_positive = (a - peak) ** 2 / 2 + (a - peak) * (peak - t)
    squares = (np.maximum(a, 0) ** 2 - np.maximum(peak, 0) ** 2) / 2
    parabola = np.where((a > 0) & (peak > 0), both_positive, squares - t * (a - peak))
    return parabola + _rest(a) - _rest(peak)
