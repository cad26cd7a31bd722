"""Losses L(t, h) of the output whose derivative in h is one of the paper's other error terms.

After `hebbian(activation)` that derivative is what reaches the synapses, so the output layer learns by
Hebbian-descent with this error term, whatever the activation.

Paper: sec:HD_the_error_term_perspective
"""

from __future__ import annotations

from math import log

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.nn.reduction import over_patterns, sum_over_units
from hebbian_descent.nn.tensors import (
    at_least_float32,
    require_floating,
    require_no_gradient,
    require_same_shape,
    require_values,
)
from hebbian_descent.rules.error_terms import leaky_hinge, saturating


def smooth_huber_loss(
    output: Tensor,
    targets: Tensor,
    *,
    saturation: float = 1.0,
    steepness: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return (saturation/steepness)·ln cosh(steepness·(h − t)), with E = saturation·tanh(steepness·(h − t)).

    No error counts for more than `saturation`.

    Paper: fig:reg_loss_HD
    """
    parameters = saturating(saturation, steepness).parameters  # checked there
    alpha, beta = parameters["saturation"], parameters["steepness"]
    h, t = _pair(output, targets)
    require_values(~t.isnan(), t, _explain_numbers)
    return over_patterns(sum_over_units(alpha / beta * log_cosh(beta * (h - t)), weight), reduction)


def leaky_hinge_loss(
    output: Tensor,
    targets: Tensor,
    *,
    leak: float = 0.01,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return 1 − t·h while t·h < 1, then leak·(h − t), with E = −t and then `leak`; targets are −1 and 1.

    Paper: tab:list_HD_loss_functions
    """
    alpha = leaky_hinge(leak).parameters["leak"]  # checked there
    h, t = _pair(output, targets)
    require_values(t.abs() == 1, t, _explain_signs)
    elements = torch.where(t * h < 1, 1 - t * h, alpha * (h - t))
    return over_patterns(sum_over_units(elements, weight), reduction)


def log_cosh(x: Tensor) -> Tensor:
    """Return ln cosh x, accurate at 0 and finite for large x, with its derivative."""
    magnitude = x.abs()
    small = torch.log1p(2 * torch.sinh(x.clamp(-1, 1) / 2) ** 2)
    large = magnitude + F.softplus(-2 * magnitude) - log(2)
    return torch.where(magnitude < 1, small, large)


def _pair(output: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    require_floating(output, "output")
    require_floating(targets, "targets")
    require_same_shape(output, targets)
    require_no_gradient(targets)
    h = at_least_float32(output)
    return h, targets.to(h.dtype)


def _explain_numbers(targets: Tensor, holds: Tensor) -> str:
    n_missing = int((~holds).sum())
    return f"The targets must be numbers. Got nan in {n_missing} of {targets.numel()} places: leave them out."


def _explain_signs(targets: Tensor, holds: Tensor) -> str:
    stranger = targets[~holds][0].item()
    return f"The targets of the leaky hinge must be -1 or 1. Got {stranger:g}: recode 0 and 1 as 2t − 1."
