"""Input validation of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn


def require_tensor(tensor: object, name: str) -> None:
    """Raise unless the argument is a tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"The {name} must be a tensor. Got {type(tensor).__name__}: convert it with torch.as_tensor(…)."
        )


def require_floating(tensor: Tensor, name: str) -> None:
    """Raise unless a tensor holds real floating-point numbers."""
    require_tensor(tensor, name)
    if not tensor.is_floating_point():
        raise TypeError(
            f"The {name} must be a floating tensor. Got {tensor.dtype}: convert it with .to(torch.float32)."
        )


def require_units(tensor: Tensor, name: str, n_units: int) -> None:
    """Raise unless a tensor is floating and its last axis has one entry for each unit."""
    require_floating(tensor, name)
    if tensor.ndim == 0 or tensor.shape[-1] != n_units:
        raise ValueError(
            f"The {name} must have {n_units} units on the last axis. Got shape {tuple(tensor.shape)}."
        )


def require_same_shape(preactivation: Tensor, targets: Tensor) -> None:
    """Raise where broadcasting would silently compare every pattern with every other."""
    if targets.shape != preactivation.shape:
        raise ValueError(
            f"The targets must have the shape of what they are compared with, {tuple(preactivation.shape)}. "
            f"Got {tuple(targets.shape)}."
        )


def units_last(tensor: Tensor, dim: int | None, name: str) -> Tensor:
    """Return a tensor with its axis of units last; with `dim=None` every element is a pattern of one unit."""
    if dim is None:
        return tensor.unsqueeze(-1)
    if tensor.ndim == 0:
        raise ValueError(
            f"The {name} must have an axis of units. Got one number: pass {name}[None], or dim=None."
        )
    if not -tensor.ndim <= dim < tensor.ndim:
        raise ValueError(f"The dim must be an axis of the {name}, shape {tuple(tensor.shape)}. Got {dim}.")
    return tensor.movedim(dim, -1)


def require_model(model: object) -> None:
    """Raise unless the argument is a module."""
    if not isinstance(model, nn.Module):
        hint = "the model itself, not its parameters" if isinstance(model, Iterable) else "the model first"
        raise TypeError(f"The model must be an nn.Module. Got {type(model).__name__}: pass {hint}.")


def require_no_momentum(momentum: object) -> None:
    """Raise if a rate is given under the name that it has in batch normalisation."""
    if momentum is not None:
        raise TypeError(
            "The rate at which an offset follows the mean must be given as shift, here with the meaning of "
            f"momentum in nn.BatchNorm1d. Got momentum={momentum}: pass shift={momentum}."
        )


def the_input(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Return the input of a linear layer from the arguments of a hook, positional or `input=`."""
    tensor: Tensor = args[0] if args else kwargs["input"]
    return tensor


def at_least_float32(tensor: Tensor) -> Tensor:
    """Return a tensor in float32 if it is in half precision, else unchanged."""
    half = tensor.is_floating_point() and tensor.dtype.itemsize < 4
    return tensor.float() if half else tensor


def beside_distributed(parameter: Tensor) -> AbstractContextManager[None]:
    """Let plain tensors count as copies that every process has, next to a parameter that processes share."""
    if not hasattr(parameter, "full_tensor"):
        return nullcontext()
    from torch.distributed.tensor.experimental import implicit_replication

    return implicit_replication()


def without_autocast(like: Tensor) -> AbstractContextManager[Any]:
    """Compute with the dtypes as they are, also within autocast: long sums need their precision."""
    return torch.autocast(like.device.type, enabled=False) if is_autocast(like) else nullcontext()


def is_autocast(like: Tensor) -> bool:
    """Return whether autocast is on for the device of a tensor."""
    device = like.device.type
    return torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)


def require_no_gradient(targets: Tensor) -> None:
    """Raise if a gradient is expected with respect to the targets."""
    if targets.requires_grad:
        raise ValueError("The targets must not require a gradient. Got some that do: pass targets.detach().")


def require_values(holds: Tensor, values: Tensor, explain: Callable[[Tensor, Tensor], str]) -> None:
    """Raise `explain(values, holds)` unless it holds everywhere; not in compiled graphs or for meta tensors.

    The check sees plain tensors also under `torch.func.vmap`. On an accelerator it waits for the device.
    """
    if not torch.compiler.is_compiling() and not holds.is_meta:
        _Require.apply(holds, values, explain)


class _Require(torch.autograd.Function):
    @staticmethod
    def forward(holds: Tensor, values: Tensor, explain: Callable[[Tensor, Tensor], str]) -> Tensor:
        if not bool(holds.all()):
            raise ValueError(explain(values, holds))
        return holds.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, None]:
        return None, None, None

    @staticmethod
    def vmap(
        info: Any,
        in_dims: tuple[int | None, ...],
        holds: Tensor,
        values: Tensor,
        explain: Callable[[Tensor, Tensor], str],
    ) -> tuple[Tensor, int | None]:
        together = [
            (x if dim is None else x.movedim(dim, 0))
            for x, dim in zip((holds, values), in_dims[:2], strict=True)
        ]
        return _Require.apply(*together, explain), None if in_dims[0] is None else 0
