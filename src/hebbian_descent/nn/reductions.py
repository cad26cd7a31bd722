"""From the losses of elements to one number: sums over units, means over patterns, and weights."""

from __future__ import annotations

from torch import Tensor

from hebbian_descent.checks import unknown_name
from hebbian_descent.nn.tensors import units_last

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
    elements = elements.masked_fill(weight == 0, 0)  # also where the loss is infinite
    return (weight.to(elements) * elements).sum(dim=-1)


def over_patterns(losses: Tensor, reduction: str, mass: Tensor | None = None) -> Tensor:
    """Return the losses of all patterns, their sum or their mean; with `mass`, that is sum/Σ mass."""
    require_reduction(reduction)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.mean() if mass is None else losses.sum() / mass.sum()
