"""Activation functions, one file each, and the list that names them."""

from __future__ import annotations

from collections.abc import Callable

from hebbian_descent.checks import unknown_name
from hebbian_descent.network.activations.approximate_step import approximate_step
from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.activations.explin import explin
from hebbian_descent.network.activations.exponential import exponential
from hebbian_descent.network.activations.inverse_sqrt import inverse_sqrt
from hebbian_descent.network.activations.inverse_sqrt_linear import inverse_sqrt_linear
from hebbian_descent.network.activations.leaky_rectifier import leaky_rectifier
from hebbian_descent.network.activations.linear import linear
from hebbian_descent.network.activations.other_names import named_here
from hebbian_descent.network.activations.rectifier import rectifier
from hebbian_descent.network.activations.scaled_explin import scaled_explin
from hebbian_descent.network.activations.scaled_tanh import scaled_tanh
from hebbian_descent.network.activations.sigmoid import sigmoid
from hebbian_descent.network.activations.softmax import softmax
from hebbian_descent.network.activations.softplus import softplus
from hebbian_descent.network.activations.softsign import softsign
from hebbian_descent.network.activations.step import step
from hebbian_descent.registry import finder_of

__all__ = ["ACTIVATIONS", "Activation", "get_activation"]

ACTIVATIONS: dict[str, Callable[..., Activation]] = {
    "linear": linear,
    "sigmoid": sigmoid,
    "step": step,
    "softmax": softmax,
    "rectifier": rectifier,
    "explin": explin,
    "scaled_tanh": scaled_tanh,
    "approximate_step": approximate_step,
    "leaky_rectifier": leaky_rectifier,
    "scaled_explin": scaled_explin,
    "inverse_sqrt_linear": inverse_sqrt_linear,
    "softsign": softsign,
    "softplus": softplus,
    "inverse_sqrt": inverse_sqrt,
    "exponential": exponential,
}


@finder_of(Activation)
def get_activation(activation: str | Activation, **parameters: float) -> Activation:
    """Return an activation by name, with its parameters; an `Activation` is passed through.

    Names of other libraries are understood as well, such as "relu", "elu", "tanh" and "identity".

    >>> get_activation("leaky_rectifier", slope=0.1).largest_slope
    1.0
    """
    if isinstance(activation, Activation):
        return activation
    if callable(activation):
        raise TypeError(
            f"A custom activation must be an Activation: Activation('mine', function). Got {activation!r}."
        )
    if isinstance(activation, str) and activation not in ACTIVATIONS:
        activation, parameters = named_here(activation, parameters)
    if activation not in ACTIVATIONS:
        raise unknown_name("activation", activation, ACTIVATIONS)
    try:
        return ACTIVATIONS[activation](**parameters)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        known = ", ".join(ACTIVATIONS[activation]().parameters) or "none"
        raise TypeError(
            f"The parameters of {activation!r} must be among: {known}. Got {', '.join(parameters)}."
        ) from None
