"""Losses as functions, summed over the units of a pattern and averaged over the patterns.

So `torch.optim.SGD` with learning rate η moves an output layer exactly as the paper's rule does. (PyTorch's
losses, such as `mse_loss`, also average over the units: their steps are smaller by the number of units.)
"""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.nn.activations import AnyActivation, TorchActivation, get_torch_activation
from hebbian_descent.nn.error_terms import leaky_hinge_loss, smooth_huber_loss
from hebbian_descent.nn.hebbian import HebbianFunction
from hebbian_descent.nn.reduction import over_patterns, require_reduction, sum_over_units
from hebbian_descent.nn.targets import are_class_indices, inside, require_inside, require_known_classes
from hebbian_descent.nn.tensors import (
    at_least_float32,
    require_floating,
    require_no_gradient,
    require_same_shape,
)


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


__all__ = ["hebbian", "leaky_hinge_loss", "matching_loss", "smooth_huber_loss"]


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
