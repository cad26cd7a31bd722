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
    adds to the sum and to the number alike, so that the mean does not change.
    """

    def __init__(self) -> None:
        self.sums: Tensor | None = None  # (n_units + 1,), the number of patterns last
        self.learned: Tensor | None = None  # the same, of what a gradient already holds

    def note(self, activity: Tensor, weight: Tensor, keep: Tensor | None = None) -> None:
        """Add a batch, unless gradients are off, or within torch.func, a trace or an export."""
        if torch.is_grad_enabled() and not is_recorded():
            self.add(activity, weight, keep)

    @torch.no_grad()
    def add(self, activity: Tensor, weight: Tensor, keep: Tensor | None = None) -> None:
        """Add a batch, or the part of it to `keep`, unless within torch.func."""
        sums = sums_of_rows(activity.detach(), keep, offset_dtype(weight))
        if not _within_torch_func(sums, weight):
            self.sums = sums if self.sums is None else self.sums.to(sums) + sums

    @property
    def is_filled(self) -> bool:
        """Whether anything was seen."""
        return self.sums is not None or self.learned is not None

    def join_gradient(self, old: Tensor | None) -> None:
        """Count what was seen as learned, together with what the `old` gradient came from.

        Where there is no old one, or it is 0, the gradients were dropped, and with them what they came from.
        """
        if self.sums is None:  # another backward pass through what counts already
            return
        if old is not None and self.learned is not None:
            is_kept = whole(old.abs().sum()) != 0
            self.sums = self.sums + torch.where(is_kept, self.learned.to(self.sums), 0)
        self.learned, self.sums = self.sums, None

    def take(self, offset: Tensor) -> Tensor:
        """Return the sums, 0 if there are none, and reset them."""
        sums = self._together()
        self.sums = self.learned = None
        if sums is None:
            return torch.zeros(len(offset) + 1, dtype=offset_dtype(offset), device=offset.device)
        return sums.to(offset.device)

    def _together(self) -> Tensor | None:
        if self.sums is None or self.learned is None:
            return self.learned if self.sums is None else self.sums
        return self.learned.to(self.sums) + self.sums


def offset_dtype(like: Tensor) -> torch.dtype:
    """Return the dtype of sums and means for a weight: its own, but float32 for half precision."""
    return torch.promote_types(like.dtype, torch.float32)


def sums_of_rows(activity: Tensor, keep: Tensor | None, dtype: torch.dtype) -> Tensor:
    """Return the sum over all axes but the last, and the number of rows behind it, as one vector."""
    if activity.is_nested:
        activity = torch.cat([part.reshape(-1, part.shape[-1]) for part in activity.unbind()])
    if activity.ndim == 1:
        activity = activity[None]
    axes, count = tuple(range(activity.ndim - 1)), activity.shape[:-1].numel()
    if activity.layout != torch.strided:
        total = torch.sparse.sum(activity.to_sparse_coo(), axes).to_dense().to(dtype)
    elif keep is not None:
        total = torch.where(keep[..., None], activity, 0).sum(axes, dtype=dtype)
        return torch.cat([total, keep.sum()[None].to(total)])
    else:
        total = activity.sum(axes, dtype=dtype)
    total = whole(total)
    return torch.cat([total, total.new_full((1,), count)])


def whole(tensor: Any) -> Tensor:
    """Return the whole of a tensor of which several processes may hold parts."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def is_recorded() -> bool:
    """Return whether a pass is traced or exported: all that it does would be kept, or refused."""
    return torch.compiler.is_exporting() or torch.jit.is_tracing()  # type: ignore[attr-defined]


def _within_torch_func(*tensors: Tensor) -> bool:
    # torch.func requires functions without side effects: what it computes is wrapped, and a sum kept from
    # within would be unusable. Weights that are mapped or differentiated belong to no module that could move.
    if torch.compiler.is_compiling():
        return False
    return any(torch.func.debug_unwrap(tensor) is not tensor for tensor in tensors)


def followed(offset: Tensor, total: Tensor, count: Tensor, shift: float | Tensor) -> Tensor:
    """Return (1 − ν)μ + ν⟨x⟩, and μ where nothing was seen, or what was seen is not finite.

    One overflow, after which a gradient scaler skips the step, would otherwise be kept forever.
    """
    mu, nu = offset, shift
    new = (1 - nu) * mu + nu * (total / count.clamp(min=1)).to(mu.dtype)
    new = torch.where(new.abs() < torch.finfo(mu.dtype).tiny, 0, new)  # subnormal numbers are slow
    return torch.where((count > 0) & new.isfinite(), new, mu)


class MovingOffset(NamedTuple):
    """An offset, what it follows, and the weights and bias that compensate its moves."""

    seen: Seen
    offset: Tensor  # (n_units,)
    shift: float
    weight: Tensor  # (n_outputs, n_units)
    bias: Tensor | None  # (n_outputs,)

    def follow_(self, sums: Tensor) -> None:
        """Move by μ ← (1 − ν)μ + ν⟨x⟩."""
        self.move_to_(followed(self.offset, sums[:-1], sums[-1], self.shift))

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

    At batch size 1, an offset that moved before the update would sit on the very pattern to be learned. Each
    offset follows the mean of what its layer saw in training since the last call, and the bias makes up for
    the move: the output of the model does not change. Where several processes train copies of the model, as
    in `DistributedDataParallel`, all of them must call it, and the mean is that of all; `synchronise=False`
    uses only this process.
    """
    modules = [module for module in model.modules() if isinstance(module, HasOffsets)]
    moving = [offset for module in modules for offset in module.moving_offsets() if offset.shift]
    sums = [offset.seen.take(offset.offset) for offset in moving]
    if synchronise:
        sums = sums_of_all_processes(sums, model)
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


def sums_of_all_processes(sums: list[Tensor], model: nn.Module) -> list[Tensor]:
    """Return the sums over all processes that train copies of a model; all of them must call it."""
    if not sums or not in_several_processes():
        return sums
    together = torch.cat(sums)
    distributed.all_reduce(together, group=_process_group(model))
    parts = together.split([len(one) for one in sums])
    return [part if one.is_complex() else part.real for part, one in zip(parts, sums, strict=True)]


def in_several_processes() -> bool:
    """Return whether this process is one of several that communicate."""
    return distributed.is_available() and distributed.is_initialized()


def _process_group(model: nn.Module) -> Any:
    wrappers = (m for m in model.modules() if isinstance(m, DistributedDataParallel))
    return next((wrapper.process_group for wrapper in wrappers), None)
