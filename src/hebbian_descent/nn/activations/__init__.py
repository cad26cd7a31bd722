"""Activation functions on tensors, with the names and parameters of `hebbian_descent.network`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor, nn

from hebbian_descent.checks import unknown_name
from hebbian_descent.network import ACTIVATIONS, Activation, get_activation
from hebbian_descent.nn.activations.base import TorchActivation
from hebbian_descent.nn.activations.matching_losses import MATCHING_LOSSES
from hebbian_descent.nn.activations.values import VALUES, softmax

__all__ = ["AnyActivation", "TorchActivation", "get_torch_activation", "is_softmax"]

AnyActivation = str | Activation | TorchActivation | Callable[[Tensor], Tensor]
"""A name, an activation of the core, or a function of tensors."""


OTHER_NAMES = {
    "identity": "linear",
    "relu": "rectifier",
    "elu": "explin",
    "selu": "scaled_explin",
    "tanh": "scaled_tanh",
    "leaky_relu": "leaky_rectifier",
    "exp": "exponential",
}
"""PyTorch's names of some activations, to suggest the name used here."""


def get_torch_activation(activation: AnyActivation, **parameters: float) -> TorchActivation:
    """Return an activation on tensors by name, with its parameters; functions of tensors are accepted."""
    if isinstance(activation, str):
        if activation.lower() in OTHER_NAMES:
            here = OTHER_NAMES[activation.lower()]
            raise ValueError(f"{unknown_name('activation', activation, ACTIVATIONS)} It is {here!r} here.")
        return _of_the_list(get_activation(activation, **parameters))
    if parameters:
        raise TypeError(
            "The parameters of an activation must come with its name. Got "
            f"{', '.join(parameters)} with {activation!r}: bind them to it, as functools.partial does."
        )
    if isinstance(activation, TorchActivation):
        return activation
    if isinstance(activation, Activation):
        return _of_the_list(activation)
    if isinstance(activation, type) or not callable(activation):
        raise TypeError(
            "The activation must be a name, an activation or a function of tensors. "
            f"Got {activation!r}: try 'sigmoid', torch.sigmoid or nn.Sigmoid()."
        )
    if isinstance(activation, nn.Module) and any(True for _ in activation.parameters()):
        raise ValueError(
            "The activation must have no parameters of its own, since none would learn. "
            f"Got {activation}: try a fixed function."
        )
    return TorchActivation(_name_of(activation), activation)


def is_softmax(activation: TorchActivation) -> bool:
    """Return whether an activation is the package's own softmax."""
    return getattr(activation.value, "func", None) is softmax


def _of_the_list(core: Activation) -> TorchActivation:
    if not core.is_built_in:
        raise TypeError(
            f"The activation {core.name!r} must be written with PyTorch's functions to work on tensors. Got "
            f"one of NumPy's: pass TorchActivation({core.name!r}, value=…) or a function of tensors."
        )
    return TorchActivation(
        name=core.name,
        value=partial(VALUES[core.name], **core.parameters),
        stable_matching_loss=partial(MATCHING_LOSSES[core.name], **core.parameters),
        domain=core.domain,
        elementwise=core.elementwise,
        parameters=core.parameters,
    )


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)
