"""Offsets that follow the activity, one step after each update of the parameters.

Paper: sec:HD_importance_centering
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from hebbian_descent.nn.seen import Seen
from hebbian_descent.nn.tensors import require_values


class MovingOffset(NamedTuple):
    """An offset, what it follows, and the weights and the bias through which its moves are made up for."""

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
        """Yield each offset with what its moves concern."""
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
