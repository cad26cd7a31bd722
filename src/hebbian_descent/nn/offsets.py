"""Offsets that follow the mean activity, one step after each update of the parameters.

Paper: sec:HD_importance_centering
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from hebbian_descent.nn.tensors import require_values


class Seen:
    """The sum and the number of the activities since the last update of the offsets.

    The batches of an accumulated gradient count together. A forward pass that gradient checkpointing repeats
    adds to the sum and to the number alike, so that the mean is what it was.
    """

    def __init__(self) -> None:
        self.sums: Tensor | None = None  # (n_units + 1,), the number of patterns last

    def note(self, activity: Tensor, weight: Tensor) -> None:
        """Add a batch, unless gradients are off, or within torch.func or an export."""
        if not torch.is_grad_enabled() or torch.compiler.is_exporting():
            return
        rows = activity.detach().reshape(-1, activity.shape[-1])
        total = rows.sum(dim=0, dtype=_sum_dtype(weight))
        sums = torch.cat([total, torch.full_like(total[:1], rows.shape[0])])
        if not _within_torch_func(sums, weight):
            self.sums = sums if self.sums is None else self.sums.to(sums) + sums

    def take(self, offset: Tensor) -> Tensor:
        """Return the sums, 0 if there are none, and reset them."""
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


class MovingOffset(NamedTuple):
    """An offset, what it follows, and the weights and bias that compensate its moves."""

    seen: Seen
    offset: Tensor  # (n_units,)
    shift: float
    weight: Tensor  # (n_outputs, n_units)
    bias: Tensor | None  # (n_outputs,)

    def follow_(self, sums: Tensor) -> None:
        """Move by μ ← (1 − ν)μ + ν⟨x⟩; stay where nothing was seen, or what was seen is not finite.

        One overflow, after which a gradient scaler leaves out the step, would else be kept for ever.
        """
        mu, nu, count = self.offset, self.shift, sums[-1]
        new = (1 - nu) * mu + nu * (sums[:-1] / count.clamp(min=1)).to(mu.dtype)
        new = torch.where(new.abs() < torch.finfo(mu.dtype).tiny, 0, new)  # subnormal numbers are slow
        self.move_to_(torch.where((count > 0) & new.isfinite(), new, mu))

    def move_to_(self, new: Tensor) -> None:
        """Replace the offset; b ← b + W(μ′ − μ) keeps the output.

        Paper: eqn:neuron_matrix_rep1
        """
        W, mu = self.weight, self.offset
        if self.bias is None:
            raise ValueError("A moving offset needs a bias that makes up for it. Got a layer without bias.")
        self.bias.add_(W @ (new - mu))
        mu.copy_(new)


@runtime_checkable
class HasOffsets(Protocol):
    """A module with offsets that can move."""

    def moving_offsets(self) -> Iterator[MovingOffset]:
        """Yield each offset with the parameters that compensate its moves."""
        ...


@torch.no_grad()
def update_offsets_(model: nn.Module, *, synchronise: bool = True) -> None:
    """Move every offset of a model once; call it after `optimizer.step()`, so that the update comes first.

    An offset that moved before the update would at batch size 1 sit on the very pattern that is to be
    learned. Each offset follows the mean of what its layer saw in training since the last call, and the bias
    makes up for the move: the output of the model does not change. Where several processes train copies of
    the model, as in `DistributedDataParallel`, all of them must call it, and the mean is that of all;
    `synchronise=False` keeps to this process.
    """
    modules = [module for module in model.modules() if isinstance(module, HasOffsets)]
    moving = [offset for module in modules for offset in module.moving_offsets() if offset.shift]
    sums = [offset.seen.take(offset.offset) for offset in moving]
    if synchronise and sums and distributed.is_available() and distributed.is_initialized():
        sums = _sums_of_all_processes(sums, _process_group(model))
    for offset, its_sums in zip(moving, sums, strict=True):
        offset.follow_(its_sums)


def offset_values(offset: float | Tensor, n_units: int, *, like: Tensor) -> Tensor:
    """Return one number for each unit, as a new tensor with the dtype and device of `like`."""
    if isinstance(offset, str):
        raise TypeError(f"The offset must be one number or {n_units}, one for each unit. Got {offset!r}.")
    values = torch.as_tensor(offset, dtype=like.dtype, device=like.device).detach()
    if values.shape not in ((), (n_units,)):
        raise ValueError(
            f"The offset must be one number or {n_units}, one for each unit. Got shape {tuple(values.shape)}."
        )
    require_values(values.isfinite(), values, _explain_finite)
    return values.expand(n_units).clone()


def _explain_finite(values: Tensor, holds: Tensor) -> str:
    return f"The offset must be finite. Got {values[~holds][0].item():g}."


def _sums_of_all_processes(sums: list[Tensor], group: Any) -> list[Tensor]:
    together = torch.cat(sums)
    distributed.all_reduce(together, group=group)
    return list(together.split([len(one) for one in sums]))


def _process_group(model: nn.Module) -> Any:
    wrappers = (m for m in model.modules() if isinstance(m, DistributedDataParallel))
    return next((wrapper.process_group for wrapper in wrappers), None)
