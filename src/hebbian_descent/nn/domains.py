"""Which targets a matching loss can reach, asked of tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.activations import TorchActivation
from hebbian_descent.nn.tensors import require_values


def inside(domain: Interval | Simplex, targets: Tensor) -> Tensor:
    """Return where targets lie in a domain, in the precision they came in; for a simplex one answer a row."""
    if isinstance(domain, Simplex):
        tolerance = torch.finfo(targets.dtype).eps ** 0.5
        sums_to_one = (targets.sum(dim=-1, keepdim=True, dtype=torch.float64) - 1).abs() <= tolerance
        return sums_to_one & (targets >= 0).all(dim=-1, keepdim=True)
    if domain.open_ends:
        return (targets > domain.low) & (targets < domain.high)
    return (targets >= domain.low) & (targets <= domain.high) & torch.isfinite(targets)


def require_inside(activation: TorchActivation, targets: Tensor, where: Tensor) -> None:
    """Raise if a target is out of reach, with the domain and what came."""

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
