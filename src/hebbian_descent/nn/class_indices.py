"""Targets that are class indices: where they are welcome, and what to do where they are not."""

from __future__ import annotations

from torch import Tensor

from hebbian_descent.nn.activations import TorchActivation, is_softmax


def are_class_indices(targets: Tensor, preactivation: Tensor, activation: TorchActivation) -> bool:
    """Return whether targets are class indices for softmax units; raise where whole numbers are of no use."""
    if targets.is_floating_point():
        return False
    one_a_pattern = targets.shape == preactivation.shape[:-1]
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
