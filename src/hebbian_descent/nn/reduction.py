"""Reduction of unit losses: weights, the sum over a pattern, the mean over patterns."""

from __future__ import annotations

from torch import Tensor

from hebbian_descent.checks import unknown_name

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
