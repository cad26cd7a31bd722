"""φ on tensors for every listed activation, by PyTorch's own functions where it has them.

At a kink the branch for a ≥ 0 holds, except that the step function and the derivative of the rectifier are 0
at 0: the conventions of `hebbian_descent.network.activations`.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F


def linear(a: Tensor) -> Tensor:
    """Return a."""
    return a


def step(a: Tensor) -> Tensor:
    """Return 1 where a > 0, else 0; its gradient is zero, and not missing, so that backward() runs."""
    return torch.sign(torch.relu(a))


def softmax(a: Tensor) -> Tensor:
    """Return exp(aⱼ) / Σₖ exp(aₖ) over the last axis."""
    return torch.softmax(a, dim=-1)


def explin(a: Tensor) -> Tensor:
    """Return a for a ≥ 0 and eᵃ − 1 below."""
    return exponential_linear(a, slope=1.0, floor=1.0)


def scaled_explin(a: Tensor, *, scale: float, saturation: float) -> Tensor:
    """Return scale·a for a ≥ 0 and scale·saturation·(eᵃ − 1) below."""
    return exponential_linear(a, slope=scale, floor=scale * saturation)


def exponential_linear(a: Tensor, *, slope: float, floor: float) -> Tensor:
    """Return slope·a for a ≥ 0 and floor·(eᵃ − 1) below."""
    return torch.where(a >= 0, slope * a, floor * torch.expm1(a.clamp(max=0)))


def scaled_tanh(a: Tensor, *, scale: float) -> Tensor:
    """Return scale·tanh(a)."""
    return scale * torch.tanh(a)


def approximate_step(a: Tensor, *, slope: float, height: float) -> Tensor:
    """Return slope·a for a < 0 and slope·a + height for a ≥ 0."""
    return slope * a + height * (a >= 0).to(a.dtype)


def leaky_rectifier(a: Tensor, *, slope: float) -> Tensor:
    """Return a for a ≥ 0 and slope·a below; torch's leaky_relu has the other derivative at 0."""
    return torch.where(a >= 0, a, slope * a)


def inverse_sqrt(a: Tensor, *, steepness: float) -> Tensor:
    """Return a / √(1 + steepness·a²)."""
    return a * torch.rsqrt(1 + steepness * a * a)


def inverse_sqrt_linear(a: Tensor, *, steepness: float) -> Tensor:
    """Return a for a ≥ 0 and a / √(1 + steepness·a²) below."""
    return torch.where(a >= 0, a, inverse_sqrt(a.clamp(max=0), steepness=steepness))


def softplus(a: Tensor) -> Tensor:
    """Return ln(1 + eᵃ); torch's softplus becomes linear at 20."""
    return torch.logaddexp(a, torch.zeros((), dtype=a.dtype, device=a.device))


VALUES: dict[str, Callable[..., Tensor]] = {
    "linear": linear,
    "sigmoid": torch.sigmoid,
    "step": step,
    "softmax": softmax,
    "rectifier": torch.relu,
    "explin": explin,
    "scaled_tanh": scaled_tanh,
    "approximate_step": approximate_step,
    "leaky_rectifier": leaky_rectifier,
    "scaled_explin": scaled_explin,
    "inverse_sqrt_linear": inverse_sqrt_linear,
    "softsign": F.softsign,
    "softplus": softplus,
    "inverse_sqrt": inverse_sqrt,
    "exponential": torch.exp,
}
