"""The matching loss on tensors: its value in closed form, its gradient h − t."""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor

from hebbian_descent.nn.activations import TorchActivation


class MatchingLossFunction(torch.autograd.Function):
    """L(t, a) = Φ(a) − t·a + Φ*(t), element by element; softmax keeps the last axis with length one.

    Where a target is out of reach the loss is +inf, and the gradient h − t as everywhere. It can be
    differentiated again: the second derivative is φ′.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(preactivation: Tensor, targets: Tensor, where: Tensor, activation: TorchActivation) -> Tensor:
        """Return the loss; `where` says which targets are inside the domain."""
        stand_in = activation.domain.any_point(targets.shape[-1])
        reachable = torch.where(where, targets, stand_in)
        return torch.where(where, activation.matching_loss(reachable, preactivation), inf)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep what h − t needs."""
        preactivation, targets, _, activation = inputs
        ctx.save_for_backward(preactivation, targets)
        ctx.activation = activation

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        """Return the error of Hebbian-descent."""
        (scale,) = gradients
        a, t = ctx.saved_tensors
        return scale * (ctx.activation(a) - t), None, None, None
