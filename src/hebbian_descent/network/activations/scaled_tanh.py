"""Scaled hyperbolic tangent units: outputs of both signs, saturating at ±scale."""

from math import log

import numpy as np
from scipy.special import expit

from hebbian_descent.checks import Array, as_number
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.activations.sigmoid import matching_loss, negative_entropy
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def scaled_tanh(scale: float = 1.0) -> Activation:
    """Return φ(a) = scale·tanh(a), which is a sigmoid of 2a stretched to (−scale, scale)."""
    scale = as_number(scale, "scale of scaled_tanh", above=0)

    def as_probability(t: Array) -> Array:
        return (1 + t / scale) / 2

    return Activation(
        name="scaled_tanh",
        compiled="scaled_tanh",
        value=lambda a: scale * np.tanh(a),
        pull_back=lambda error, a, h: error * (4 * scale) * expit(2 * a) * expit(-2 * a),
        antiderivative=lambda a: scale * log_cosh(a),
        conjugate=lambda t: scale * (negative_entropy(as_probability(t)) + log(2)),
        stable_matching_loss=lambda t, a: scale * matching_loss(as_probability(t), 2 * a),
        domain=Interval(-scale, scale),
        output_range=(-scale, scale),
        largest_slope=scale,
        strictly_increasing=True,
        parameters={"scale": scale},
    )


def log_cosh(a: Array) -> Array:
    """Return ln cosh a, accurate at 0 and finite far out."""
    magnitude = np.abs(a)
    small = np.log1p(2 * np.sinh(np.minimum(magnitude, 1) / 2) ** 2)
    large = magnitude + np.log1p(np.exp(-2 * magnitude)) - log(2)
    result: Array = np.where(magnitude < 1, small, large)
    return result
