"""Losses, Hebbian activations and fast weights as functions.

Losses are summed over the units of a pattern and averaged over the patterns. So `torch.optim.SGD` with
learning rate η moves an output layer exactly as the paper's rule does. (PyTorch's losses, such as `mse_loss`,
also average over the units: their steps are smaller by the number of units.)

The matching loss takes pre-activations. The others are losses L(t, h) of the output whose derivative in h
is one of the paper's other error terms: after `hebbian(activation)` that derivative is what reaches the
synapses, so the output layer learns by Hebbian-descent with this error term, whatever the activation.

Paper: sec:HD_the_error_term_perspective
"""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor

from hebbian_descent.nn.activations import AnyActivation, TorchActivation, get_torch_activation
from hebbian_descent.nn.cross_entropies import effective_targets, of_class_indices, require_cross_entropy
from hebbian_descent.nn.error_terms import AnyErrorTerm, TorchErrorTerm, get_torch_error_term, log_cosh
from hebbian_descent.nn.fast_weights import MemoryState, hebbian_memory
from hebbian_descent.nn.hebbian import HebbianFunction
from hebbian_descent.nn.reductions import over_patterns, require_reduction, sum_over_units
from hebbian_descent.nn.targets import (
    Domain,
    Signs,
    are_class_indices,
    explain_numbers,
    inside,
    onto,
    require_inside,
    require_known_classes,
)
from hebbian_descent.nn.tensors import (
    at_least_float32,
    require_floating,
    require_no_gradient,
    require_same_shape,
    require_values,
    units_last,
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
    """L(t, a) = ∫ E(t, φ(a)) da, element by element; softmax keeps the last axis with length one.

    Where a target is out of reach the loss is +inf, and the gradient E(t, h) as everywhere. It can be
    differentiated again: for E = h − t the second derivative is φ′.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(
        preactivation: Tensor,
        targets: Tensor,
        where: Tensor,
        activation: TorchActivation,
        error: TorchErrorTerm,
    ) -> Tensor:
        """Return the loss; `where` says which targets are inside the domain."""
        stand_in = error.domain(activation).any_point(targets.shape[-1])
        reachable = torch.where(where, targets, stand_in)
        return torch.where(where, error.matching_loss(activation, reachable, preactivation), inf)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep what the error needs."""
        preactivation, targets, _, activation, error = inputs
        ctx.save_for_backward(preactivation, targets)
        ctx.activation, ctx.error = activation, error

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        """Return the error of Hebbian-descent."""
        (scale,) = gradients
        a, t = ctx.saved_tensors
        return scale * ctx.error(t, ctx.activation(a)), None, None, None, None


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
    error: AnyErrorTerm = "difference",
    dim: int | None = -1,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
    ignore_index: int = -100,
    check_targets: bool = True,
) -> Tensor:
    """Return L(t, a) = Σⱼ Φ(aⱼ) − tⱼaⱼ + Φ*(tⱼ), whose gradient in a is h − t for every activation.

    It is convex in a, never negative, and 0 where the output is the target. The targets have the shape of a;
    for softmax they may be class indices, one per pattern, and those equal to `ignore_index` do not count.
    The units are on axis `dim`: the last by default, so that (n,) is one pattern of n units; with
    `dim=None` every element is a pattern of one unit.

    With another `error` the loss is ∫ E(t, φ(a)) da, whose gradient is E(t, h), for units that do not couple:
    for "saturating" measured from h = t; for "leaky_hinge" from the margin, or from a = 0 for units that
    never reach it, so that it can be negative.

    `weight` is one number for each unit or for each element; for softmax, one for each class. Such weights,
    `label_smoothing` (sigmoid and softmax) and `pos_weight` (sigmoid) have PyTorch's meaning: the gradients
    are those of its cross entropies, while the loss is measured from its minimum and so never negative. But
    the mean divides by the weights for probabilities as for class indices, so that one-hot vectors give the
    same loss; PyTorch divides by the number of patterns there. Half precision is computed in float32, and the
    loss is float32. Targets outside the domain are refused, or, with `check_targets=False` and in compiled
    graphs, have a loss of infinity.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """
    phi, term = get_torch_activation(activation), get_torch_error_term(error)
    term.require_loss(phi)
    require_reduction(reduction)
    require_cross_entropy(phi, term, label_smoothing, pos_weight)
    require_floating(preactivation, "preactivation")
    a = units_last(at_least_float32(preactivation), dim, "preactivation")
    if weight is not None and not phi.elementwise and weight.shape != a.shape[-1:]:
        came = f"Got shape {tuple(weight.shape)}."
        raise ValueError(f"The weight must be one number for each of {a.shape[-1]} classes. {came}")
    if are_class_indices(targets, preactivation, phi, dim):
        if check_targets:
            require_known_classes(targets, a.shape[-1], ignore_index)
        return of_class_indices(a, targets, weight, label_smoothing, reduction, ignore_index)
    require_same_shape(preactivation, targets)
    require_no_gradient(targets)
    t = units_last(targets, dim, "targets")
    where = inside(term.domain(phi), t)
    if check_targets:
        require_inside(term.domain(phi), t, where, of=f"matching loss of {str(phi)!r}")
    given = _clean(term.domain(phi), t.to(a.dtype), where)
    aim, scale = effective_targets(given, phi, weight, pos_weight, label_smoothing)
    elements: Tensor = MatchingLossFunction.apply(a, aim, where, phi, term)
    if scale is not None:
        elements = scale * elements
    if phi.elementwise:
        return over_patterns(sum_over_units(elements, weight, dim), reduction)
    return over_patterns(elements.squeeze(-1), reduction, None if weight is None else given @ weight.to(a))


def smooth_huber_loss(
    output: Tensor,
    targets: Tensor,
    *,
    saturation: float = 1.0,
    steepness: float = 1.0,
    dim: int | None = -1,
    weight: Tensor | None = None,
    reduction: str = "mean",
    check_targets: bool = True,
) -> Tensor:
    """Return (saturation/steepness)·ln cosh(steepness·(h − t)), with E = saturation·tanh(steepness·(h − t)).

    No error counts for more than `saturation`.

    Paper: fig:reg_loss_HD
    """
    parameters = saturating(saturation, steepness).parameters  # checked there
    alpha, beta = parameters["saturation"], parameters["steepness"]
    h, t = _pair(output, targets, dim)
    if check_targets:
        require_values(~t.isnan(), t, explain_numbers)
    return over_patterns(sum_over_units(alpha / beta * log_cosh(beta * (h - t)), weight, dim), reduction)


def leaky_hinge_loss(
    output: Tensor,
    targets: Tensor,
    *,
    leak: float = 0.01,
    dim: int | None = -1,
    weight: Tensor | None = None,
    reduction: str = "mean",
    check_targets: bool = True,
) -> Tensor:
    """Return 1 − t·h while t·h < 1, then leak·(h − t), with E = −t and then `leak`; targets are −1 and 1.

    Paper: tab:list_HD_loss_functions
    """
    alpha = leaky_hinge(leak).parameters["leak"]  # checked there
    h, t = _pair(output, targets, dim)
    where = inside(Signs(), t)
    if check_targets:
        require_inside(Signs(), t, where, of="leaky hinge")
    t = _clean(Signs(), t, where)
    elements = torch.where(t * h < 1, 1 - t * h, alpha * (h - t))
    return over_patterns(sum_over_units(elements, weight, dim), reduction)


def _pair(output: Tensor, targets: Tensor, dim: int | None) -> tuple[Tensor, Tensor]:
    require_floating(output, "output")
    require_floating(targets, "targets")
    require_same_shape(output, targets)
    require_no_gradient(targets)
    h = at_least_float32(output)
    return units_last(h, dim, "output"), units_last(targets.to(h.dtype), dim, "targets")


def _clean(domain: Domain, targets: Tensor, where: Tensor) -> Tensor:
    # A target far outside keeps its number: its gradient is E(t, h) as everywhere.
    return torch.where(where, onto(domain, targets), targets)
