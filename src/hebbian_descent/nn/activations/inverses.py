"""φ⁻¹ on tensors for every listed activation that does not couple its units.

Where φ jumps or is flat, φ⁻¹(u) is one a with φ(a⁻) ≤ u ≤ φ(a⁺). At an end of the range that φ only
approaches it is infinite; beyond the range it is undefined.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def linear(u: Tensor) -> Tensor:
    """Return u."""
    return u


def step(u: Tensor) -> Tensor:
    """Return 0, where the step is."""
    return torch.zeros_like(u)


def explin(u: Tensor) -> Tensor:
    """Return u for u ≥ 0 and ln(1 + u) below."""
    return scaled_explin(u, scale=1.0, saturation=1.0)


def scaled_explin(u: Tensor, *, scale: float, saturation: float) -> Tensor:
    """Return u/scale for u ≥ 0 and ln(1 + u/(scale·saturation)) below."""
    return torch.where(u >= 0, u / scale, torch.log1p(u.clamp(max=0) / (scale * saturation)))


def scaled_tanh(u: Tensor, *, scale: float) -> Tensor:
    """Return artanh(u/scale)."""
    return torch.atanh(u / scale)


def approximate_step(u: Tensor, *, slope: float, height: float) -> Tensor:
    """Return the part of u outside the jump, divided by the slope."""
    return (u - u.clamp(0, height)) / slope


def leaky_rectifier(u: Tensor, *, slope: float) -> Tensor:
    """Return u for u ≥ 0 and u/slope below."""
    return torch.where(u >= 0, u, u / slope)


def inverse_sqrt(u: Tensor, *, steepness: float) -> Tensor:
    """Return u / √(1 − steepness·u²)."""
    return u * torch.rsqrt(1 - steepness * u * u)


def inverse_sqrt_linear(u: Tensor, *, steepness: float) -> Tensor:
    """Return u for u ≥ 0 and u / √(1 − steepness·u²) below."""
    return torch.where(u >= 0, u, inverse_sqrt(u.clamp(max=0), steepness=steepness))


def softsign(u: Tensor) -> Tensor:
    """Return u / (1 − |u|)."""
    return u / (1 - u.abs())


def softplus(u: Tensor) -> Tensor:
    """Return ln(eᵘ − 1), finite for large u."""
    return u + torch.log(-torch.expm1(-u))


INVERSES: dict[str, Callable[..., Tensor]] = {
    "linear": linear,
    "sigmoid": torch.logit,
    "step": step,
    "rectifier": linear,
    "explin": explin,
    "scaled_tanh": scaled_tanh,
    "approximate_step": approximate_step,
    "leaky_rectifier": leaky_rectifier,
    "scaled_explin": scaled_explin,
    "inverse_sqrt_linear": inverse_sqrt_linear,
    "softsign": softsign,
    "softplus": softplus,
    "inverse_sqrt": inverse_sqrt,
    "exponential": torch.log,
}
