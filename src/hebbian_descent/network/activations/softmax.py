"""Softmax units: the outputs of one pattern are the probabilities of its classes."""

import numpy as np
from scipy.special import log_softmax, logsumexp, xlogy
from scipy.special import softmax as softmax_value

from hebbian_descent.checks import Array
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.domain import Simplex
from hebbian_descent.registry import made_once


@made_once
def softmax() -> Activation:
    """Return φ(a)ⱼ = exp(aⱼ) / Σₖ exp(aₖ); its matching loss is the categorical cross entropy.

    The Jacobian is positive only across the classes: adding the same number to all a changes nothing. Its
    largest eigenvalue is ½, reached between two equal classes.
    """
    return Activation(
        name="softmax",
        compiled="softmax",
        value=lambda a: softmax_value(a, axis=-1),
        pull_back=_pull_back,
        antiderivative=lambda a: logsumexp(a, axis=-1, keepdims=True),
        conjugate=lambda t: xlogy(t, t).sum(axis=-1, keepdims=True),
        stable_matching_loss=_matching_loss,
        domain=Simplex(),
        output_range=(0.0, 1.0),
        largest_slope=0.5,
        elementwise=False,
    )


def _pull_back(error: Array, a: Array, h: Array) -> Array:
    # The full Jacobian diag(h) − hhᵀ; its diagonal alone, h(1 − h), is a common mistake.
    expected_error: Array = (error * h).sum(axis=-1, keepdims=True)
    return h * (error - expected_error)


def _matching_loss(t: Array, a: Array) -> Array:
    # A class without probability in the target contributes nothing, however unlikely it is in the output.
    surprise = np.where(t > 0, -log_softmax(a, axis=-1), 0)
    loss: Array = (t * surprise + xlogy(t, t)).sum(axis=-1, keepdims=True)
    return loss
