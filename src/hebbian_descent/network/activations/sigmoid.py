"""Sigmoid units: firing probabilities between 0 and 1."""

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def sigmoid() -> Activation:
    """Return φ(a) = 1/(1 + e⁻ᵃ); its matching loss is the cross entropy less the entropy of the target."""
    return Activation(
        name="sigmoid",
        compiled="sigmoid",
        value=expit,
        pull_back=lambda error, a, h: error * h * expit(-a),  # 1 − h would be 0 where h rounds to 1
        antiderivative=softplus_value,
        conjugate=negative_entropy,
        stable_matching_loss=matching_loss,
        domain=Interval(0, 1),
        output_range=(0.0, 1.0),
        largest_slope=0.25,
        strictly_increasing=True,
    )


def softplus_value(a: Array) -> Array:
    """Return ln(1 + eᵃ) without overflow."""
    return np.maximum(a, 0) + np.log1p(np.exp(-np.abs(a)))


def negative_entropy(t: Array) -> Array:
    """Return t ln t + (1 − t) ln(1 − t), which is 0 at both ends."""
    return xlogy(t, t) + xlog1py(1 - t, -t)


def matching_loss(t: Array, a: Array) -> Array:
    """Return the Kullback-Leibler divergence of h from t, from logits: nothing overflows or cancels."""
    cross_entropy = (1 - t) * softplus_value(a) + t * softplus_value(-a)
    return cross_entropy + negative_entropy(t)
