"""Step units: a neuron fires or it does not."""

import numpy as np

from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Interval
from hebbian_descent.registry import made_once


@made_once
def step() -> Activation:
    """Return φ(a) = 1 for a > 0, else 0 (also at 0); its matching loss is the perceptron loss.

    Gradient descent cannot learn with it, since its pull-back is zero everywhere.
    """
    return Activation(
        name="step",
        compiled="step",
        value=lambda a: (a > 0).astype(a.dtype),
        pull_back=lambda error, a, h: np.zeros_like(error),
        antiderivative=lambda a: np.maximum(a, 0),
        conjugate=np.zeros_like,
        stable_matching_loss=lambda t, a: (1 - t) * np.maximum(a, 0) + t * np.maximum(-a, 0),
        domain=Interval(0, 1),
        output_range=(0.0, 1.0),
    )
