"""Losses as functions, summed over the units of a pattern and averaged over the patterns.

So `torch.optim.SGD` with learning rate η moves an output layer exactly as the paper's rule does. (PyTorch's
losses, such as `mse_loss`, also average over the units: their steps are smaller by the number of units.)

The matching loss is one of pre-activations. The others are losses L(t, h) of the output whose derivative in h
is one of the paper's other error terms: after `hebbian(activation)` that derivative is what reaches the
synapses, so the output layer learns by Hebbian-descent with this error term, whatever the activation.

Paper: sec:HD_the_error_term_perspective
"""

from __future__ import annotations

from math import inf, log
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.checks import unknown_name
from hebbian_descent.nn.activations import AnyActivation, TorchActivation, get_torch_activation
from hebbian_descent.nn.fast_weights import MemoryState, hebbian_memory
from hebbian_descent.nn.hebbian import HebbianFunction
from hebbian_descent.nn.targets import are_class_indices, inside, require_inside, require_known_classes
from hebbian_descent.nn.tensors import (
    at_least_float32,
    require_floating,
    require_no_gradient,
    require_same_shape,
    require_values,
)
from hebbian_descent.rules.error_terms import leaky_hinge, saturating

__all__ = [
    "MemoryState",
    "hebbian",
    "hebbian_memory",
    "leaky_hinge_loss",
    "matching_loss",
    "smooth_huber_loss",
]


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


def hebbian(preactivation: Tensor, activation: AnyActivation) -> Tensor:
    """Return φ(a) and pass the error back unchanged."""
    require_floating(preactivation, "preactivation")
    output: Tensor = HebbianFunction.apply(preactivation, get_torch_activation(activation))
    return output


def matching_loss(
    preactivation: Tensor,
    targets: Tensor,
    activation: AnyActivation,
    *,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    check_targets: bool = True,
) -> Tensor:
    """Return L(t, a) = Σⱼ Φ(aⱼ) − tⱼaⱼ + Φ*(tⱼ), whose gradient in a is h − t for every activation.

    It is convex in a, never negative, and 0 where the output is the target. The targets have the shape of a;
    for softmax they may be class indices, one per pattern, and those equal to `ignore_index` do not count.
    `weight` is one number for each unit or for each element. For softmax it is one for each class: a pattern
    then weighs Σⱼ wⱼtⱼ, and the mean is a weighted one, as in PyTorch's cross entropy. Half precision is
    computed in float32, and the loss is float32. Targets outside the activation's domain are refused, or,
    with `check_targets=False` and in compiled graphs, have a loss of infinity.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """
    phi = get_torch_activation(activation)
    require_reduction(reduction)
    require_floating(preactivation, "preactivation")
    if preactivation.ndim == 0:
        raise ValueError("The preactivation must have its units on the last axis. Got one number: a[None].")
    a = at_least_float32(preactivation)
    if weight is not None and not phi.elementwise and weight.shape != a.shape[-1:]:
        came = f"Got shape {tuple(weight.shape)}."
        raise ValueError(f"The weight must be one number for each of {a.shape[-1]} classes. {came}")
    if are_class_indices(targets, a, phi):
        if check_targets:
            require_known_classes(targets, a.shape[-1], ignore_index)
        return _of_class_indices(a, targets, weight, reduction, ignore_index)
    elements = _of_vectors(a, targets, phi, check_targets)
    if phi.elementwise:
        return over_patterns(sum_over_units(elements, weight), reduction)
    pattern_weights = None if weight is None else targets.to(a.dtype) @ weight.to(a)
    return over_patterns(elements.squeeze(-1), reduction, pattern_weights)


def _of_vectors(a: Tensor, targets: Tensor, phi: TorchActivation, check_targets: bool) -> Tensor:
    require_same_shape(a, targets)
    require_no_gradient(targets)
    where = inside(phi.domain, targets)
    if check_targets:
        require_inside(phi, targets, where)
    elements: Tensor = MatchingLossFunction.apply(a, targets.to(a.dtype), where, phi)
    return elements


def _of_class_indices(
    a: Tensor, indices: Tensor, weight: Tensor | None, reduction: str, ignore_index: int
) -> Tensor:
    # The entropy of a certain target is 0, so PyTorch's cross entropy is the matching loss itself.
    loss = F.cross_entropy(
        a.reshape(-1, a.shape[-1]),
        indices.reshape(-1).to(torch.long),
        weight=None if weight is None else weight.to(a),
        ignore_index=ignore_index,
        reduction=reduction,
    )
    return loss.reshape(indices.shape) if reduction == "none" else loss


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


REDUCTIONS = ("none", "mean", "sum")


def require_reduction(reduction: str) -> None:
    """Raise unless a reduction is known."""
    if reduction not in REDUCTIONS:
        raise unknown_name("reduction", reduction, REDUCTIONS)


def sum_over_units(elements: Tensor, weight: Tensor | None) -> Tensor:
    """Return the loss of each pattern, with one weight for each unit or for each element."""
    if weight is None:
        return elements.sum(dim=-1)
    if weight.shape not in (elements.shape[-1:], elements.shape):
        raise ValueError(
            f"The weight must be one number for each of {elements.shape[-1]} units, or for each element. "
            f"Got shape {tuple(weight.shape)}."
        )
    return (weight.to(elements) * elements).sum(dim=-1)


def over_patterns(losses: Tensor, reduction: str, weights: Tensor | None = None) -> Tensor:
    """Return the losses of all patterns, their sum or their mean; `weights` make it a weighted mean."""
    require_reduction(reduction)
    if weights is not None:
        losses = weights * losses
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.mean() if weights is None else losses.sum() / weights.sum()
