"""Targets of a loss: class indices, and the domain that targets must lie in."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.activations import TorchActivation, is_listed
from hebbian_descent.nn.tensors import require_tensor, require_values


@dataclass(frozen=True)
class Signs:
    """The numbers −1 and 1."""

    def any_point(self, n_units: int) -> float:
        """Return one of them, to replace a target that is neither."""
        return 1.0

    def __str__(self) -> str:
        return "{-1, 1}"


Domain = Interval | Simplex | Signs


def are_class_indices(
    targets: Tensor, preactivation: Tensor, activation: TorchActivation, dim: int | None
) -> bool:
    """Return whether targets are class indices for softmax units; raise where integers make no sense."""
    require_tensor(targets, "targets")
    shape = tuple(preactivation.shape)
    patterns = _without(shape, dim)
    one_a_pattern = tuple(targets.shape) == patterns and dim is not None
    softmax = is_listed(activation, "softmax")
    if targets.is_floating_point():
        if one_a_pattern and softmax:
            raise TypeError(
                f"Class indices must be whole numbers. Got {targets.dtype} of shape {tuple(targets.shape)}: "
                "pass targets.long(), or vectors."
            )
        return False
    if one_a_pattern and softmax:
        return True
    what = f"The targets of the matching loss of {str(activation)!r} must be"
    came = f"Got {targets.dtype} of shape {tuple(targets.shape)}"
    if one_a_pattern:
        raise TypeError(
            f"{what} vectors, a floating tensor of shape {shape}. {came}, like class indices: pass "
            f"torch.nn.functional.one_hot(targets, {shape[-1]}).to(preactivation.dtype)."
        )
    indices = f", or class indices of shape {patterns}" if softmax else ""
    if softmax and len(shape) > 2 and tuple(targets.shape) == _without(shape, 1):
        raise TypeError(f"{what} a floating tensor of shape {shape}{indices}. {came}: pass dim=1.")
    raise TypeError(
        f"{what} a floating tensor of shape {shape}{indices}. {came}: convert vectors with "
        "targets.to(preactivation.dtype)."
    )


def _without(shape: tuple[int, ...], dim: int | None) -> tuple[int, ...]:
    return shape if dim is None else tuple(n for i, n in enumerate(shape) if i != dim % len(shape))


def require_known_classes(indices: Tensor, n_classes: int, ignore_index: int) -> None:
    """Raise unless every index is that of a class or `ignore_index`."""

    def explain(indices: Tensor, holds: Tensor) -> str:
        return (
            f"Class indices must lie in 0 … {n_classes - 1}, or be {ignore_index}, which is ignored. "
            f"Got {indices[~holds][0].item()}."
        )

    require_values((indices >= 0) & (indices < n_classes) | (indices == ignore_index), indices, explain)


def inside(domain: Domain, targets: Tensor) -> Tensor:
    """Return where targets lie in a domain, up to a few rounding errors; for a simplex, which rows do."""
    slack = _slack(targets)
    if isinstance(domain, Signs):
        return (targets.abs() - 1).abs() <= slack
    if isinstance(domain, Simplex):
        tolerance = torch.finfo(targets.dtype).eps ** 0.5
        sums_to_one = (targets.sum(dim=-1, keepdim=True, dtype=torch.float64) - 1).abs() <= tolerance
        return sums_to_one & (targets >= -slack).all(dim=-1, keepdim=True)
    if domain.open_ends:
        return (targets > domain.low) & (targets < domain.high)
    low = domain.low - slack * max(1.0, abs(domain.low))
    high = domain.high + slack * max(1.0, abs(domain.high))
    return (targets >= low) & (targets <= high) & torch.isfinite(targets)


def onto(domain: Domain, targets: Tensor) -> Tensor:
    """Return targets that lie `inside` without their rounding errors."""
    if isinstance(domain, Signs):
        return targets.sign()
    if isinstance(domain, Simplex):
        return targets.clamp(min=0)
    return targets if domain.open_ends else targets.clamp(domain.low, domain.high)


def _slack(targets: Tensor) -> float:
    # Targets that were computed in float32 stay off by its rounding errors when they are converted.
    return 4 * max(torch.finfo(targets.dtype).eps, torch.finfo(torch.float32).eps)


def require_inside(domain: Domain, targets: Tensor, where: Tensor, *, of: str) -> None:
    """Raise if a target lies outside the domain of the named loss."""

    def explain(targets: Tensor, where: Tensor) -> str:
        if targets.isnan().any():
            return explain_numbers(targets, ~targets.isnan())
        if isinstance(domain, Signs):
            stranger = targets[~where][0].item()
            return f"The targets of the {of} must be -1 or 1. Got {stranger:g}: recode 0 and 1 as 2t − 1."
        if targets.isinf().any():
            n_infinite = int(targets.isinf().sum())
            return f"The targets must be finite. Got infinity in {n_infinite} of {targets.numel()} places."
        return (
            f"The targets of the {of} must lie in {domain}. Got {_culprit(domain, targets, where)}: rescale "
            "them, or pass check_targets=False for a loss of infinity with the same gradient as everywhere."
        )

    require_values(where, targets, explain)


def explain_numbers(targets: Tensor, holds: Tensor) -> str:
    """Return the message about targets that are not numbers, where `holds` is False."""
    n_missing = int((~holds).sum())
    return f"The targets must be numbers. Got nan in {n_missing} of {targets.numel()} places: leave them out."


def _culprit(domain: Interval | Simplex, targets: Tensor, where: Tensor) -> str:
    if isinstance(domain, Interval):
        return f"{targets[~where][0].item():g}"
    row = targets[~where.squeeze(-1)].reshape(-1, targets.shape[-1])[0]
    return f"a pattern that sums to {row.sum().item():g}, its smallest entry {row.min().item():g}"
