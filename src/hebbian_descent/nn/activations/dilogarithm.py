"""The dilogarithm that softplus units need; PyTorch has none."""

from __future__ import annotations

from math import pi

import torch
from torch import Tensor

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

    By the reflection Φ(a) + Φ(−a) = a²/2 + π²/6 the dilogarithm is only asked where it cannot overflow.
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
