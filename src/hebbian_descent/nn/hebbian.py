"""Hebbian activations, which pass the error back unchanged, and hidden layers that learn without φ′."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn.activations import AnyActivation, TorchActivation, get_torch_activation
from hebbian_descent.nn.centered import CenteredLinear
from hebbian_descent.nn.tensors import require_floating, require_no_momentum, require_units


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
        """Keep nothing: the error is passed back unchanged."""

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Return ∂L/∂h in place of ∂L/∂a."""
        (error,) = gradients
        return error, None


class HebbianActivation(nn.Module):
    """Activation module with a Hebbian backward pass; usable wherever an activation module is."""

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
    output layer, with the error term E = ∂L/∂h. It is not the derivative of φ, so numerical gradient checks
    fail.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    return HebbianActivation(get_torch_activation(activation, **parameters))


class LocalUpdate(torch.autograd.Function):
    """Pass h on; give the weights the outer product of error and centered input, and the bias the error.

    This is the update of Hebbian-descent itself: ∂W := Σ δᵀ(x − μ) and ∂b := Σ δ for an error δ = ∂L/∂h.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(output: Tensor, centered_input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Return h."""
        return output.view_as(output)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the presynaptic factor."""
        _, centered_input, weight, bias = inputs
        ctx.save_for_backward(centered_input)
        ctx.dtypes = weight.dtype, None if bias is None else bias.dtype

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, Tensor, Tensor | None]:
        """Return the error for the output, and the local rule for the parameters."""
        (error,) = gradients
        (centered_input,) = ctx.saved_tensors
        weight_dtype, bias_dtype = ctx.dtypes
        post = error.reshape(-1, error.shape[-1]).to(weight_dtype)  # (batch, n_outputs)
        pre = centered_input.reshape(-1, centered_input.shape[-1]).to(weight_dtype)  # (batch, n_inputs)
        return error, None, post.T @ pre, None if bias_dtype is None else post.sum(dim=0)


class HebbianLayer(CenteredLinear):
    """h = φ((x − μ)Wᵀ + b) whose own update does without φ′; what it propagates back does not.

    It is gradient descent with a learning rate of η/φ′(a) for each unit and pattern. With δ = ∂L/∂h its
    parameters receive ∂W = Σ δᵀ(x − μ) and ∂b = Σ δ, the layers below (δ ⊙ φ′(a))W as usual. The direction
    differs from the gradient by less than 90 degrees for one pattern where φ′ > 0; for a
    batch that is not guaranteed. Any function of tensors can be the activation; autograd takes its
    derivative.

    Paper: sec:HD_learning_rate
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        activation: AnyActivation = "sigmoid",
        bias: bool = True,
        *,
        offset: float | Tensor = 0.0,
        shift: float = 0.0,
        device: Any = None,
        dtype: torch.dtype | None = None,
        momentum: None = None,
        **parameters: float,
    ) -> None:
        require_no_momentum(momentum)
        super().__init__(
            in_features, out_features, bias, offset=offset, shift=shift, device=device, dtype=dtype
        )
        self.activation = get_torch_activation(activation, **parameters)

    def forward(self, input: Tensor) -> Tensor:
        """Return φ((x − μ)Wᵀ + b)."""
        require_units(input, "input", self.in_features)
        x, W, b = input - self.offset, self.weight, self.bias
        # Through a the error goes to the layers below, through LocalUpdate to the parameters.
        a = F.linear(x, W.detach(), None if b is None else b.detach())
        output: Tensor = LocalUpdate.apply(self.activation(a), x.detach(), W, b)
        return output

    def extra_repr(self) -> str:
        """Return the sizes, the shift and the activation."""
        return f"{super().extra_repr()}, activation={self.activation}"
