"""L(t, a) = Φ(a) − t·a + Φ*(t) on tensors for every listed activation, in forms that do not cancel.

Where one of PyTorch's fused losses is the closed form, the value is that loss minus its value at h = t. The
formulas are explained in `hebbian_descent.network.activations`. They are evaluated for t inside the domain
and never differentiated: the gradient is h − t.

Paper: tab:list_HD_loss_functions
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt

import torch
from torch import Tensor
from torch.nn import functional as F

# B₂ₖ/(2k + 1)! with the Bernoulli numbers B₂ₖ, k = 1 … 7
COEFFICIENTS = (
    1 / 36,
    -1 / 3600,
    1 / 211680,
    -1 / 10886400,
    1 / 526901760,
    -691 / 16999766784000,
    1 / 1120863744000,
)


def softplus_rest(a: Tensor) -> Tensor:
    """Return Φ(a) − max(a, 0)²/2 for Φ′ = softplus, a number between 0 and π²/6.

    By the reflection Φ(a) + Φ(−a) = a²/2 + π²/6 the dilogarithm is only needed where it cannot overflow.
    """
    tail = minus_dilogarithm(torch.exp(-a.abs()))
    return torch.where(a > 0, pi**2 / 6 - tail, tail)


def minus_dilogarithm(u: Tensor) -> Tensor:
    """Return −Li₂(−u) for 0 ≤ u ≤ 1, to rounding.

    With L = ln(1 + u) it is L + L²/4 + Σₖ B₂ₖ L²ᵏ⁺¹/(2k + 1)!, whose terms fall by a factor of 80 each.
    """
    L = torch.log1p(u)
    square = L * L
    series = torch.zeros_like(L)
    for coefficient in reversed(COEFFICIENTS):
        series = square * (series + coefficient)
    return L * (1 + L / 4 + series)


def linear(t: Tensor, a: Tensor) -> Tensor:
    """Return half the squared error."""
    return F.mse_loss(a, t, reduction="none") / 2


def sigmoid(t: Tensor, a: Tensor) -> Tensor:
    """Return the cross entropy on logits minus the entropy of the target."""
    negative_entropy = torch.xlogy(t, t) + torch.special.xlog1py(1 - t, -t)
    return F.binary_cross_entropy_with_logits(a, t, reduction="none") + negative_entropy


def step(t: Tensor, a: Tensor) -> Tensor:
    """Return the perceptron loss."""
    return (1 - t) * F.relu(a) + t * F.relu(-a)


def softmax(t: Tensor, a: Tensor) -> Tensor:
    """Return the categorical cross entropy minus the entropy of the target; the last axis gets length one."""
    surprise = torch.where(t > 0, -F.log_softmax(a, dim=-1), 0)  # classes may be masked by a = −∞
    return (t * surprise + torch.xlogy(t, t)).sum(dim=-1, keepdim=True)


def rectifier(t: Tensor, a: Tensor) -> Tensor:
    """Return a parabola above the threshold and a straight line below it."""
    return torch.where(a > 0, (a - t) ** 2 / 2, t * (t / 2 - a))


def explin(t: Tensor, a: Tensor) -> Tensor:
    """Return the loss of exponential linear units."""
    return exponential_linear(t, a, slope=1.0, floor=1.0)


def scaled_explin(t: Tensor, a: Tensor, *, scale: float, saturation: float) -> Tensor:
    """Return the loss of scaled exponential linear units."""
    return exponential_linear(t, a, slope=scale, floor=scale * saturation)


def exponential_linear(t: Tensor, a: Tensor, *, slope: float, floor: float) -> Tensor:
    """Return the loss of slope·a for a ≥ 0 and floor·(eᵃ − 1) below."""
    a_below, u = a.clamp(max=0), (t / floor).clamp(min=-1, max=0)
    entropy = torch.special.xlog1py(1 + u, u)
    both_above = (slope * a - t) ** 2 / (2 * slope)
    both_below = floor * (entropy - (1 + u) * a_below + (torch.expm1(a_below) - u))
    antiderivative = torch.where(a >= 0, slope * a * a / 2, floor * (torch.expm1(a_below) - a_below))
    conjugate = torch.where(t >= 0, t * t / (2 * slope), floor * (entropy - u))
    return _by_side(t, a, both_above, both_below, antiderivative - t * a + conjugate)


def scaled_tanh(t: Tensor, a: Tensor, *, scale: float) -> Tensor:
    """Return the loss of a sigmoid of 2a, stretched."""
    return scale * sigmoid(((1 + t / scale) / 2).clamp(0, 1), 2 * a)


def approximate_step(t: Tensor, a: Tensor, *, slope: float, height: float) -> Tensor:
    """Return a parabola and the perceptron loss, one for each part of the target."""
    within = t.clamp(0, height)
    rest, level = t - within, height * (a >= 0).to(a.dtype)
    return (slope * a - rest) ** 2 / (2 * slope) + (level - within) * a


def leaky_rectifier(t: Tensor, a: Tensor, *, slope: float) -> Tensor:
    """Return parabolas of two widths."""
    antiderivative = torch.where(a >= 0, a * a, slope * a * a) / 2
    conjugate = torch.where(t >= 0, t * t, t * t / slope) / 2
    both_above, both_below = (a - t) ** 2 / 2, (slope * a - t) ** 2 / (2 * slope)
    return _by_side(t, a, both_above, both_below, antiderivative - t * a + conjugate)


def inverse_sqrt(t: Tensor, a: Tensor, *, steepness: float) -> Tensor:
    """Return a squared sine of half the difference of two angles."""
    root = sqrt(steepness)
    half_angle = (torch.atan(root * a) - torch.asin((root * t).clamp(-1, 1))) / 2
    return 2 * torch.sqrt(1 + steepness * a * a) * torch.sin(half_angle) ** 2 / steepness


def inverse_sqrt_linear(t: Tensor, a: Tensor, *, steepness: float) -> Tensor:
    """Return a parabola above the threshold and the loss of the inverse square root below it."""
    a_below, t_below = a.clamp(max=0), t.clamp(max=0)
    stretch = torch.sqrt(1 + steepness * a_below * a_below)
    shrink = torch.sqrt((1 - steepness * t_below * t_below).clamp(min=0))
    antiderivative = torch.where(a >= 0, a * a / 2, a_below * a_below / (1 + stretch))
    conjugate = torch.where(t >= 0, t * t / 2, t_below * t_below / (1 + shrink))
    both_below = inverse_sqrt(t_below, a_below, steepness=steepness)
    return _by_side(t, a, (a - t) ** 2 / 2, both_below, antiderivative - t * a + conjugate)


def softsign(t: Tensor, a: Tensor) -> Tensor:
    """Return z − 1 − ln z with z = (1 + |a|)(1 − |t|), plus 2|t·a| where the signs differ."""
    A, T = a.abs(), t.abs()
    excess = A - T - A * T
    return excess - (torch.log1p(A) + torch.log1p(-T)) + torch.where(a * t < 0, 2 * A * T, 0)


def softplus(t: Tensor, a: Tensor) -> Tensor:
    """Return Φ(a) − Φ(â) − t·(a − â) with â = φ⁻¹(t), the large squares subtracted analytically."""
    positive = t.clamp(min=torch.finfo(t.dtype).tiny)
    peak = positive + torch.log(-torch.expm1(-positive))
    both_positive = (a - peak) ** 2 / 2 + (a - peak) * (peak - t)
    squares = (F.relu(a) ** 2 - F.relu(peak) ** 2) / 2
    parabola = torch.where((a > 0) & (peak > 0), both_positive, squares - t * (a - peak))
    return parabola + softplus_rest(a) - softplus_rest(peak)


def exponential(t: Tensor, a: Tensor) -> Tensor:
    """Return the negative log-likelihood of Poisson counts minus its value at h = t."""
    poisson = F.poisson_nll_loss(a, t, log_input=True, full=False, reduction="none")
    return poisson + (torch.xlogy(t, t) - t)


def _by_side(t: Tensor, a: Tensor, both_above: Tensor, both_below: Tensor, apart: Tensor) -> Tensor:
    # Target and activity on the same side of 0 have a closed form; on opposite sides nothing cancels.
    return torch.where((a >= 0) & (t >= 0), both_above, torch.where((a < 0) & (t < 0), both_below, apart))


MATCHING_LOSSES: dict[str, Callable[..., Tensor]] = {
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
