"""Hebbian activations: φ forward, the error unchanged backward."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from hebbian_descent.nn.activations import AnyActivation, TorchActivation, get_torch_activation
from hebbian_descent.nn.tensors import require_floating


class HebbianFunction(torch.autograd.Function):
    """h = φ(a) whose backward step leaves out φ′.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(preactivation: Tensor, activation: TorchActivation) -> Tensor:
        """Return φ(a)."""
        h = activation(preactivation)
        return h.view_as(h) if h is preactivation else h

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep nothing: the error goes back as it came."""

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Return ∂L/∂h in the place of ∂L/∂a."""
        (error,) = gradients
        return error, None


class HebbianActivation(nn.Module):
    """The module that `hebbian` makes; it can stand wherever an activation module can."""

    def __init__(self, activation: TorchActivation) -> None:
        super().__init__()
        self.activation = activation

    def forward(self, preactivation: Tensor) -> Tensor:
        """Return φ(a)."""
        require_floating(preactivation, "preactivation")
        output: Tensor = HebbianFunction.apply(preactivation, self.activation)
        return output

    def extra_repr(self) -> str:
        """Return the activation's name and parameters."""
        return str(self.activation)


def hebbian(activation: AnyActivation, **parameters: float) -> HebbianActivation:
    """Return an activation module that passes the error back unchanged: h = φ(a), ∂L/∂a := ∂L/∂h.

    As the last module of a network it turns any loss L(t, h) and any optimizer into Hebbian-descent of the
    output layer, with the error term E = ∂L/∂h. It is no derivative of φ, and no numerical check will find it
    to be one.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    return HebbianActivation(get_torch_activation(activation, **parameters))
