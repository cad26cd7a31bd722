"""Targets that are class indices: where they are welcome, and what to do where they are not."""

from __future__ import annotations

from torch import Tensor

from hebbian_descent.nn.activations import TorchActivation, is_softmax
from hebbian_descent.nn.tensors import require_tensor, require_values


def are_class_indices(targets: Tensor, preactivation: Tensor, activation: TorchActivation) -> bool:
    """Return whether targets are class indices for softmax units; raise where whole numbers are of no use."""
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
    """Raise unless each index is that of a class, or is to be ignored."""

    def explain(indices: Tensor, holds: Tensor) -> str:
        return (
            f"Class indices must lie in 0 … {n_classes - 1}, or be {ignore_index}, which is ignored. "
            f"Got {indices[~holds][0].item()}."
        )

    require_values((indices >= 0) & (indices < n_classes) | (indices == ignore_index), indices, explain)
