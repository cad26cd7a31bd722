"""Targets of a matching loss: class indices, and the domain that targets must lie in."""

from __future__ import annotations

import torch
from torch import Tensor

from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.activations import TorchActivation, is_softmax
from hebbian_descent.nn.tensors import require_tensor, require_values


def are_class_indices(targets: Tensor, preactivation: Tensor, activation: TorchActivation) -> bool:
    """Return whether targets are class indices for softmax units; raise where integers make no sense."""
    require_tensor(targets, "targets")
    one_a_pattern = targets.shape == preactivation.shape[:-1]
    if targets.is_floating_point():
        if one_a_pattern and is_softmax(activation):
            raise TypeError(
                f"Class indices must be whole numbers. Got {targets.dtype} of shape {tuple(targets.shape)}: "
                "pass targets.long(), or vectors."
            )
        return False
    if one_a_pattern and is_softmax(activation):
        return True
    what = f"The targets of the matching loss of {str(activation)!r} must be"
    shape, came = tuple(preactivation.shape), f"Got {targets.dtype} of shape {tuple(targets.shape)}"
    if one_a_pattern:
        raise TypeError(
            f"{what} vectors, a floating tensor of shape {shape}. {came}, like class indices: pass "
            f"torch.nn.functional.one_hot(targets, {shape[-1]}).to(preactivation.dtype)."
        )
    indices = f", or class indices of shape {shape[:-1]}" if is_softmax(activation) else ""
    raise TypeError(
        f"{what} a floating tensor of shape {shape}{indices}. {came}: convert vectors with "
        "targets.to(preactivation.dtype)."
    )


def require_known_classes(indices: Tensor, n_classes: int, ignore_index: int) -> None:
    """Raise unless every index is that of a class or `ignore_index`."""

    def explain(indices: Tensor, holds: Tensor) -> str:
        return (
            f"Class indices must lie in 0 … {n_classes - 1}, or be {ignore_index}, which is ignored. "
            f"Got {indices[~holds][0].item()}."
        )

    require_values((indices >= 0) & (indices < n_classes) | (indices == ignore_index), indices, explain)


def inside(domain: Interval | Simplex, targets: Tensor) -> Tensor:
    """Return where targets lie in a domain, in their own precision; one value per row for a simplex."""
    if isinstance(domain, Simplex):
        tolerance = torch.finfo(targets.dtype).eps ** 0.5
        sums_to_one = (targets.sum(dim=-1, keepdim=True, dtype=torch.float64) - 1).abs() <= tolerance
        return sums_to_one & (targets >= 0).all(dim=-1, keepdim=True)
    if domain.open_ends:
        return (targets > domain.low) & (targets < domain.high)
    return (targets >= domain.low) & (targets <= domain.high) & torch.isfinite(targets)


def require_inside(activation: TorchActivation, targets: Tensor, where: Tensor) -> None:
    """Raise if a target lies outside the domain."""

    def explain(targets: Tensor, where: Tensor) -> str:
        return (
            f"The targets of the matching loss of {str(activation)!r} must lie in {activation.domain}. "
            f"Got {_culprit(activation.domain, targets, where)}: rescale them, or pass check_targets=False "
            "for a loss of infinity with the gradient h − t all the same."
        )

    require_values(where, targets, explain)


def _culprit(domain: Interval | Simplex, targets: Tensor, where: Tensor) -> str:
    if isinstance(domain, Interval):
        return f"{targets[~where][0].item():g}"
    row = targets[~where.squeeze(-1)].reshape(-1, targets.shape[-1])[0]
    return f"a pattern that sums to {row.sum().item():g}, its smallest entry {row.min().item():g}"
