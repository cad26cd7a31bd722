"""The activations that kernels know, each a type of its own: a kernel is compiled for one of them.

The fields are the parameters, by the names that the network gives them.
"""

from __future__ import annotations

from typing import NamedTuple


class Linear(NamedTuple):
    """φ(a) = a."""


class Sigmoid(NamedTuple):
    """φ(a) = 1 / (1 + e⁻ᵃ)."""


class Step(NamedTuple):
    """φ(a) = 1 above 0, else 0."""


class Softmax(NamedTuple):
    """φ(a)ⱼ = exp(aⱼ) / Σₖ exp(aₖ)."""


class Rectifier(NamedTuple):
    """φ(a) = a above 0, else 0."""


class ExpLin(NamedTuple):
    """φ(a) = a above 0, eᵃ − 1 below."""


class ScaledTanh(NamedTuple):
    """φ(a) = scale·tanh(a)."""

    scale: float = 1.0


class ApproximateStep(NamedTuple):
    """φ(a) = slope·a, with height added from 0 on."""

    slope: float = 0.01
    height: float = 1.0


class LeakyRectifier(NamedTuple):
    """φ(a) = a from 0 on, slope·a below."""

    slope: float = 0.01


class ScaledExpLin(NamedTuple):
    """φ(a) = scale·a from 0 on, scale·saturation·(eᵃ − 1) below."""

    scale: float = 1.0507009873554805
    saturation: float = 1.6732632423543772


class InverseSqrtLinear(NamedTuple):
    """φ(a) = a from 0 on, a / √(1 + steepness·a²) below."""

    steepness: float = 1.0


class Softsign(NamedTuple):
    """φ(a) = a / (1 + |a|)."""


class Softplus(NamedTuple):
    """φ(a) = ln(1 + eᵃ)."""


class InverseSqrt(NamedTuple):
    """φ(a) = a / √(1 + steepness·a²)."""

    steepness: float = 1.0


class Exponential(NamedTuple):
    """φ(a) = eᵃ."""


Activation = (
    Linear
    | Sigmoid
    | Step
    | Softmax
    | Rectifier
    | ExpLin
    | ScaledTanh
    | ApproximateStep
    | LeakyRectifier
    | ScaledExpLin
    | InverseSqrtLinear
    | Softsign
    | Softplus
    | InverseSqrt
    | Exponential
)

ACTIVATIONS: dict[str, type[Activation]] = {
    "linear": Linear,
    "sigmoid": Sigmoid,
    "step": Step,
    "softmax": Softmax,
    "rectifier": Rectifier,
    "explin": ExpLin,
    "scaled_tanh": ScaledTanh,
    "approximate_step": ApproximateStep,
    "leaky_rectifier": LeakyRectifier,
    "scaled_explin": ScaledExpLin,
    "inverse_sqrt_linear": InverseSqrtLinear,
    "softsign": Softsign,
    "softplus": Softplus,
    "inverse_sqrt": InverseSqrt,
    "exponential": Exponential,
}
