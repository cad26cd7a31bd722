"""The update of `HebbianLayer` for one layer of all runs at once.

`torch.vmap` of the package's own function computes the same in twice the time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class StackedUpdate(torch.autograd.Function):
    """Pass h on; give the weights ∂W := xᵀδ and the bias ∂b := Σ δ for an error δ = ∂L/∂h, in each run.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    @staticmethod
    def forward(output: Tensor, inputs: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        """Return h, (n_runs, n_patterns, n_outputs)."""
        return output.view_as(output)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the presynaptic factor."""
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, Tensor, Tensor]:
        """Return the error for the output, and the local rule for the parameters."""
        (error,) = gradients
        (x,) = ctx.saved_tensors
        return error, None, x.mT @ error, error.sum(dim=1, keepdim=True)
