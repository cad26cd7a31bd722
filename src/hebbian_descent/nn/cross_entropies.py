"""PyTorch's settings of cross entropies for the matching losses of sigmoid and softmax units.

Label smoothing, weights of classes and weights of positive targets all turn a cross entropy into −Σ cₖ ln pₖ
with other cₖ ≥ 0. That is Σc times the cross entropy of the targets cₖ/Σc.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from hebbian_descent.nn.activations import TorchActivation, is_listed
from hebbian_descent.nn.error_terms import TorchErrorTerm
from hebbian_descent.nn.reductions import over_patterns


def require_cross_entropy(
    phi: TorchActivation, term: TorchErrorTerm, label_smoothing: float, pos_weight: Tensor | None
) -> None:
    """Raise if label smoothing or a `pos_weight` is given for a loss other than a cross entropy."""
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"The label smoothing must be at least 0 and at most 1. Got {label_smoothing}.")
    came = f"Got {phi.name!r}" if term.is_difference else f"Got the error term {term.name!r}"
    if label_smoothing and not (
        term.is_difference and (is_listed(phi, "sigmoid") or is_listed(phi, "softmax"))
    ):
        raise ValueError(f"Label smoothing needs the cross entropy of sigmoid or softmax units. {came}.")
    if pos_weight is not None and not (term.is_difference and is_listed(phi, "sigmoid")):
        raise ValueError(
            f"A pos_weight needs the cross entropy of sigmoid units. {came}: use weight=… instead."
        )


def effective_targets(
    t: Tensor,
    phi: TorchActivation,
    weight: Tensor | None,
    pos_weight: Tensor | None,
    label_smoothing: float,
) -> tuple[Tensor, Tensor | None]:
    """Return the targets that smoothing and weights of classes make of `t`, and how much each counts."""
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


def of_class_indices(
    a: Tensor,
    indices: Tensor,
    weight: Tensor | None,
    label_smoothing: float,
    reduction: str,
    ignore_index: int,
) -> Tensor:
    """Return the cross entropy of class indices minus its minimum."""
    classes = indices.reshape(-1).to(torch.long)
    w = None if weight is None else weight.to(a)
    entropy = partial(F.cross_entropy, weight=w, ignore_index=ignore_index, label_smoothing=label_smoothing)
    rows = a.reshape(-1, a.shape[-1])
    if not label_smoothing:
        loss = entropy(rows, classes, reduction=reduction)  # at least 0, since its targets are certain
        return loss.reshape(indices.shape) if reduction == "none" else loss
    counts = classes != ignore_index
    known = torch.where(counts, classes, 0)
    w = torch.ones_like(rows[0]) if w is None else w
    least = _least_smoothed_entropy(w, w[known], label_smoothing)
    each = torch.where(counts, entropy(rows, classes, reduction="none") - least, 0)
    mass = torch.where(counts, w[known], 0)
    return over_patterns(each.clamp(min=0).reshape(indices.shape), reduction, mass)


def _least_smoothed_entropy(weight: Tensor, right: Tensor, smoothing: float) -> Tensor:
    """Return min over p of −Σ cₖ ln pₖ with cₖ = wₖ·(smoothed target): Σc·ln Σc − Σ cₖ ln cₖ."""
    spread = smoothing / len(weight)
    wrong_classes, before, after = spread * weight, spread * right, (1 - smoothing + spread) * right
    total = wrong_classes.sum() - before + after
    parts = torch.xlogy(wrong_classes, wrong_classes).sum() - torch.xlogy(before, before)
    return torch.xlogy(total, total) - (parts + torch.xlogy(after, after))
