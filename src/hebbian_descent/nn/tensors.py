"""Input validation of tensors, and of the targets of a matching loss: class indices, or its domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from hebbian_descent.network.domain import Interval, Simplex
from hebbian_descent.nn.activations import TorchActivation, is_softmax


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


def the_input(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Return the input of a linear layer from the arguments of a hook, positional or `input=`."""
    tensor: Tensor = args[0] if args else kwargs["input"]
    return tensor


def at_least_float32(tensor: Tensor) -> Tensor:
    """Return a tensor in float32 if it is in half precision, else unchanged."""
    return tensor.float() if tensor.dtype.itemsize < 4 else tensor


def require_no_gradient(targets: Tensor) -> None:
    """Raise if a gradient is expected with respect to the targets."""
    if targets.requires_grad:
        raise ValueError("The targets must not require a gradient. Got some that do: pass targets.detach().")


def require_values(holds: Tensor, values: Tensor, explain: Callable[[Tensor, Tensor], str]) -> None:
    """Raise `explain(values, holds)` unless it holds everywhere; compiled graphs and meta tensors do not ask.

    The question is asked of plain tensors also under `torch.func.vmap`. On an accelerator it waits for the
    device.
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
