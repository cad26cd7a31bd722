"""Losses as functions, summed over the units of a pattern and averaged over the patterns.

So `torch.optim.SGD` with learning rate η moves an output layer exactly as the paper's rule does. (PyTorch's
losses, such as `mse_loss`, also average over the units: their steps are smaller by the number of units.)

The matching loss is one of pre-activations. The others are losses L(t, h) of the output whose derivative in h
is one of the paper's other error terms: after `hebbian(activation)` that derivative is what reaches the
synapses, so the output layer learns by Hebbian-descent with this error term, whatever the activation.

Paper: sec:HD_the_error_term_perspective
"""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.checks import unknown_name
from hebbian_descent.nn.activations import (
    AnyActivation,
    TorchActivation,
    get_torch_activation,
    is_sigmoid,
    is_softmax,
)
from hebbian_descent.nn.error_terms import AnyErrorTerm, TorchErrorTerm, get_torch_error_term, log_cosh
from hebbian_descent.nn.hebbian import HebbianFunction
from hebbian_descent.nn.targets import (
    Domain,
    Signs,
    are_class_indices,
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

__all__ = ["hebbian", "leaky_hinge_loss", "matching_loss", "smooth_huber_loss"]


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
    The units are on axis `dim`: the last, unless said otherwise, so that (n,) is one pattern of n units; with
    `dim=None` every element is a pattern of one unit.

    With another `error` the loss is the one whose gradient is E(t, h): for "saturating", measured from h = t;
    for "leaky_hinge", from the margin, or from a = 0 for units that never reach it.

    `weight` is one number for each unit or for each element. For softmax it is one for each class and, with
    `label_smoothing`, for sigmoid and softmax units, has PyTorch's meaning, as has `pos_weight` for sigmoid
    units: the gradients are those of PyTorch's cross entropies, and the loss is 0 at its minimum. Half
    precision is computed in float32, and the loss is float32. Targets outside the domain are refused, or,
    with `check_targets=False` and in compiled graphs, have a loss of infinity.

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
        return _of_class_indices(a, targets, weight, label_smoothing, reduction, ignore_index)
    require_same_shape(preactivation, targets)
    require_no_gradient(targets)
    t = units_last(targets, dim, "targets")
    where = inside(term.domain(phi), t)
    if check_targets:
        require_inside(term.domain(phi), t, where, of=f"matching loss of {str(phi)!r}")
    given = _clean(term.domain(phi), t.to(a.dtype), where)
    aim, scale = _shifted(given, phi, weight, pos_weight, label_smoothing)
    elements: Tensor = MatchingLossFunction.apply(a, aim, where, phi, term)
    if scale is not None:
        elements = scale * elements
    if phi.elementwise:
        return over_patterns(sum_over_units(elements, weight, dim), reduction)
    return over_patterns(elements.squeeze(-1), reduction, None if weight is None else given @ weight.to(a))


def require_cross_entropy(
    phi: TorchActivation, term: TorchErrorTerm, label_smoothing: float, pos_weight: Tensor | None
) -> None:
    """Raise if label smoothing or a `pos_weight` is asked of another loss than a cross entropy."""
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"The label smoothing must be at least 0 and at most 1. Got {label_smoothing}.")
    came = f"Got {phi.name!r}" if term.is_difference else f"Got the error term {term.name!r}"
    if label_smoothing and not (term.is_difference and (is_sigmoid(phi) or is_softmax(phi))):
        raise ValueError(f"Label smoothing must be of the cross entropy of sigmoid or softmax units. {came}.")
    if pos_weight is not None and not (term.is_difference and is_sigmoid(phi)):
        raise ValueError(
            f"A pos_weight must be of the cross entropy of sigmoid units. {came}: use weight=… instead."
        )


def _shifted(
    t: Tensor,
    phi: TorchActivation,
    weight: Tensor | None,
    pos_weight: Tensor | None,
    label_smoothing: float,
) -> tuple[Tensor, Tensor | None]:
    """Return the targets that smoothing and weights of classes make of `t`, and how much each counts.

    A cross entropy −Σ cₖ ln pₖ with any cₖ ≥ 0 is that of the targets cₖ/Σc, Σc times.
    """
    if label_smoothing:
        n_classes = 2 if phi.elementwise else t.shape[-1]
        t = (1 - label_smoothing) * t + label_smoothing / n_classes
    tiny = torch.finfo(t.dtype).tiny
    if pos_weight is not None:
        if pos_weight.shape not in ((), t.shape[-1:]):
            raise ValueError(
                f"The pos_weight must be one number, or one for each of {t.shape[-1]} units. "
                f"Got shape {tuple(pos_weight.shape)}."
            )
        positive = pos_weight.to(t) * t
        total = (positive + (1 - t)).clamp(min=tiny)
        return positive / total, total
    if weight is not None and not phi.elementwise:
        weighted = weight.to(t) * t
        total = weighted.sum(dim=-1, keepdim=True).clamp(min=tiny)
        return weighted / total, total
    return t, None


def _of_class_indices(
    a: Tensor,
    indices: Tensor,
    weight: Tensor | None,
    label_smoothing: float,
    reduction: str,
    ignore_index: int,
) -> Tensor:
    # The entropy of a certain target is 0, so PyTorch's cross entropy is the matching loss itself.
    classes = indices.reshape(-1).to(torch.long)
    w = None if weight is None else weight.to(a)
    ask = {"weight": w, "ignore_index": ignore_index, "label_smoothing": label_smoothing}
    rows = a.reshape(-1, a.shape[-1])
    if not label_smoothing:
        loss = F.cross_entropy(rows, classes, reduction=reduction, **ask)
        return loss.reshape(indices.shape) if reduction == "none" else loss
    counts = classes != ignore_index
    known = torch.where(counts, classes, 0)
    w = torch.ones_like(rows[0]) if w is None else w
    least = _least_smoothed_entropy(w, w[known], label_smoothing)
    each = torch.where(counts, F.cross_entropy(rows, classes, reduction="none", **ask) - least, 0)
    mass = torch.where(counts, w[known], 0)
    return over_patterns(each.clamp(min=0).reshape(indices.shape), reduction, mass)


def _least_smoothed_entropy(weight: Tensor, right: Tensor, smoothing: float) -> Tensor:
    """Return min over p of −Σ cₖ ln pₖ with cₖ = wₖ·(smoothed target): Σc·ln Σc − Σ cₖ ln cₖ."""
    spread = smoothing / len(weight)
    wrong_classes, before, after = spread * weight, spread * right, (1 - smoothing + spread) * right
    total = wrong_classes.sum() - before + after
    parts = torch.xlogy(wrong_classes, wrong_classes).sum() - torch.xlogy(before, before)
    return torch.xlogy(total, total) - (parts + torch.xlogy(after, after))


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
        require_values(~t.isnan(), t, _explain_numbers)
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


def _explain_numbers(targets: Tensor, holds: Tensor) -> str:
    n_missing = int((~holds).sum())
    return f"The targets must be numbers. Got nan in {n_missing} of {targets.numel()} places: leave them out."


REDUCTIONS = ("none", "mean", "sum")


def require_reduction(reduction: str) -> None:
    """Raise unless a reduction is known."""
    if reduction not in REDUCTIONS:
        raise unknown_name("reduction", reduction, REDUCTIONS)


def sum_over_units(elements: Tensor, weight: Tensor | None, dim: int | None = -1) -> Tensor:
    """Return the loss of each pattern, with one weight for each unit or, laid out by `dim`, each element."""
    if weight is None:
        return elements.sum(dim=-1)
    if weight.shape != elements.shape[-1:]:
        if dim is None or weight.ndim == elements.ndim:
            weight = units_last(weight, dim, "weight")
        if weight.shape != elements.shape:
            raise ValueError(
                f"The weight must be one number for each of {elements.shape[-1]} units, or for each element. "
                f"Got shape {tuple(weight.shape)}."
            )
    return (weight.to(elements) * elements).sum(dim=-1)


def over_patterns(losses: Tensor, reduction: str, mass: Tensor | None = None) -> Tensor:
    """Return the losses of all patterns, their sum or their mean; with `mass`, that is sum/Σ mass."""
    require_reduction(reduction)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.mean() if mass is None else losses.sum() / mass.sum()
