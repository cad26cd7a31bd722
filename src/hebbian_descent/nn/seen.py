"""What an offset follows: the mean of the activities that a layer saw in training."""

from __future__ import annotations

import torch
from torch import Tensor


class Seen:
    """The sum and the number of the activities since the last update of the offsets.

    The batches of an accumulated gradient count together. A forward pass that gradient checkpointing repeats
    adds to the sum and to the number alike, so that the mean is what it was.
    """

    def __init__(self) -> None:
        self.sums: Tensor | None = None  # (n_units + 1,), the number of patterns last

    def note(self, activity: Tensor, weight: Tensor) -> None:
        """Add a batch; passes without gradients, within torch.func or in an export are no training."""
        if not torch.is_grad_enabled() or torch.compiler.is_exporting():
            return
        rows = activity.detach().reshape(-1, activity.shape[-1])
        total = rows.sum(dim=0, dtype=_sum_dtype(weight))
        sums = torch.cat([total, torch.full_like(total[:1], rows.shape[0])])
        if not _within_torch_func(sums, weight):
            self.sums = sums if self.sums is None else self.sums.to(sums) + sums

    def take(self, offset: Tensor) -> Tensor:
        """Return the sums, 0 if there are none, and begin anew."""
        sums, self.sums = self.sums, None
        if sums is None:
            return torch.zeros(len(offset) + 1, dtype=_sum_dtype(offset), device=offset.device)
        return sums.to(offset.device)


def _sum_dtype(like: Tensor) -> torch.dtype:
    return torch.promote_types(like.dtype, torch.float32)


def _within_torch_func(*tensors: Tensor) -> bool:
    # torch.func wants functions without side effects: what it computes is wrapped, and a sum kept from within
    # would be unusable. Weights that are mapped or differentiated belong to no module that could move.
    if torch.compiler.is_compiling():
        return False
    return any(torch.func.debug_unwrap(tensor) is not tensor for tensor in tensors)
