"""Outputs and slopes of the activations, one number at a time, written for loops that vectorise.

A number of the wrong width would turn single into double precision: constants take the type of `a`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hebbian_descent.kernels import activations as kinds
from hebbian_descent.kernels.compilation import compiled_as
from hebbian_descent.kernels.exponential import exp, exp_minus_one, logistic, softplus, tanh

Function = Callable[..., Any]


def _exponential_linear(kind: Any, a: Any) -> Any:
    number = type(a)
    below = number(kind.scale * kind.saturation) * exp_minus_one(a if a < 0 else number(0))
    return number(kind.scale) * a if a >= 0 else below


def _exponential_linear_slope(kind: Any, a: Any, h: Any) -> Any:
    number = type(a)
    below = number(kind.scale * kind.saturation) * exp(a if a < 0 else number(0))
    return number(kind.scale) if a >= 0 else below


def _explin(kind: Any, a: Any) -> Any:
    below = exp_minus_one(a if a < 0 else type(a)(0))
    return a if a >= 0 else below


def _explin_slope(kind: Any, a: Any, h: Any) -> Any:
    return type(a)(1) if a >= 0 else h + type(a)(1)


def _inverse_sqrt(kind: Any, a: Any) -> Any:
    return a / np.sqrt(type(a)(1) + type(a)(kind.steepness) * a * a)


def _inverse_sqrt_slope(kind: Any, a: Any, h: Any) -> Any:
    stretch = np.sqrt(type(a)(1) + type(a)(kind.steepness) * a * a)
    return type(a)(1) / (stretch * stretch * stretch)


def _inverse_sqrt_linear(kind: Any, a: Any) -> Any:
    below = a if a < 0 else type(a)(0)
    return a / np.sqrt(type(a)(1) + type(a)(kind.steepness) * below * below)


def _inverse_sqrt_linear_slope(kind: Any, a: Any, h: Any) -> Any:
    below = a if a < 0 else type(a)(0)
    stretch = np.sqrt(type(a)(1) + type(a)(kind.steepness) * below * below)
    return type(a)(1) / (stretch * stretch * stretch)


def _approximate_step(kind: Any, a: Any) -> Any:
    number = type(a)
    return number(kind.slope) * a + (number(kind.height) if a >= 0 else number(0))


def _softsign_slope(kind: Any, a: Any, h: Any) -> Any:
    stretch = type(a)(1) + abs(a)
    return type(a)(1) / (stretch * stretch)


# φ(a) and φ′(a); the latter may use h = φ(a). At a kink the branch for a ≥ 0 holds, but the step function and
# the slope of the rectifier are 0 at 0.
OUTPUTS: dict[type, Function] = {
    kinds.Linear: lambda kind, a: a,
    kinds.Sigmoid: lambda kind, a: logistic(a),
    kinds.Step: lambda kind, a: type(a)(1) if a > 0 else type(a)(0),
    kinds.Rectifier: lambda kind, a: a if a > 0 else type(a)(0),
    kinds.ExpLin: _explin,
    kinds.ScaledTanh: lambda kind, a: type(a)(kind.scale) * tanh(a),
    kinds.ApproximateStep: _approximate_step,
    kinds.LeakyRectifier: lambda kind, a: a if a >= 0 else type(a)(kind.slope) * a,
    kinds.ScaledExpLin: _exponential_linear,
    kinds.InverseSqrtLinear: _inverse_sqrt_linear,
    kinds.Softsign: lambda kind, a: a / (type(a)(1) + abs(a)),
    kinds.Softplus: lambda kind, a: softplus(a),
    kinds.InverseSqrt: _inverse_sqrt,
    kinds.Exponential: lambda kind, a: exp(a),
}

SLOPES: dict[type, Function] = {
    kinds.Linear: lambda kind, a, h: type(a)(1),
    kinds.Sigmoid: lambda kind, a, h: h * (type(a)(1) - h),
    kinds.Step: lambda kind, a, h: type(a)(0),
    kinds.Rectifier: lambda kind, a, h: type(a)(1) if a > 0 else type(a)(0),
    kinds.ExpLin: _explin_slope,
    kinds.ScaledTanh: lambda kind, a, h: type(a)(kind.scale) - h * (h / type(a)(kind.scale)),
    kinds.ApproximateStep: lambda kind, a, h: type(a)(kind.slope),
    kinds.LeakyRectifier: lambda kind, a, h: type(a)(1) if a >= 0 else type(a)(kind.slope),
    kinds.ScaledExpLin: _exponential_linear_slope,
    kinds.InverseSqrtLinear: _inverse_sqrt_linear_slope,
    kinds.Softsign: _softsign_slope,
    kinds.Softplus: lambda kind, a, h: logistic(a),
    kinds.InverseSqrt: _inverse_sqrt_slope,
    kinds.Exponential: lambda kind, a, h: h,
}


def output(kind: kinds.Activation, a: float) -> float:
    """Return φ(a)."""
    raise NotImplementedError  # chosen from OUTPUTS when a kernel is compiled


def slope(kind: kinds.Activation, a: float, h: float) -> float:
    """Return φ′(a), given h = φ(a)."""
    raise NotImplementedError  # chosen from SLOPES when a kernel is compiled


@compiled_as(output)
def _compiled_output(kind: Any, a: Any) -> Function:
    return OUTPUTS[kind.instance_class]


@compiled_as(slope)
def _compiled_slope(kind: Any, a: Any, h: Any) -> Function:
    return SLOPES[kind.instance_class]
