"""Centering a whole model, and back, without a change of its output."""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from hebbian_descent.checks import as_number
from hebbian_descent.nn.centered import CenteredLinear

Model = TypeVar("Model", bound=nn.Module)


@torch.no_grad()
def center_(model: Model, *inputs: Any, offset: float = 0.0, shift: float = 0.01) -> Model:
    """Turn every `nn.Linear` of a model into a `CenteredLinear`, in place; the model computes what it did.

    With `inputs`, a batch as the model takes it, the offsets start at the mean input of each layer, else at
    `offset`. The parameters stay the same objects, so that an optimizer made before goes on; only a layer
    without bias gets a new one, b = Wμ. Subclasses of `nn.Linear` are left alone, since what they do with
    their weights is their own business (the output projection of `nn.MultiheadAttention` is one).

    Paper: eqn:neuron_matrix_rep1
    """
    as_number(shift, "shift", at_least=0, at_most=1)
    layers = [module for module in model.modules() if type(module) is nn.Linear]
    if not layers:
        raise ValueError(
            f"A model to be centered must hold an nn.Linear. Got {type(model).__name__} without."
        )
    means = _mean_inputs(model, layers, inputs) if inputs else {}
    for layer in layers:
        _center_layer(layer, means.get(layer, offset), shift)
    for module in model.modules():
        if isinstance(module, nn.TransformerEncoder):
            module.use_nested_tensor = False  # made for the fused inference, which passes by the offsets
    return model


@torch.no_grad()
def uncenter_(model: Model) -> Model:
    """Turn every `CenteredLinear` of a model into an `nn.Linear`, in place; the model computes what it did.

    The offset goes into the bias, b − Wμ, which is made where there is none. Layers that are more than a
    `CenteredLinear` stay what they are, with an offset of 0 that no longer moves.

    Paper: eqn:neuron_matrix_rep1
    """
    for module in model.modules():
        if isinstance(module, CenteredLinear):
            _uncenter_layer(module)
    return model


def _center_layer(layer: nn.Linear, offset: float | Tensor, shift: float) -> None:
    _ensure_bias(layer)
    layer.__class__ = CenteredLinear
    assert isinstance(layer, CenteredLinear)
    layer.become_centered(0.0, shift)
    layer.move_offset_(offset)


def _uncenter_layer(layer: CenteredLinear) -> None:
    _ensure_bias(layer)
    layer.move_offset_(0.0)
    layer.shift = 0.0
    if type(layer) is CenteredLinear:
        layer.note_hook.remove()
        del layer.offset, layer.shift, layer.seen, layer.note_hook
        layer.__class__ = nn.Linear  # type: ignore[assignment]


def _ensure_bias(layer: nn.Linear) -> None:
    if layer.bias is None:
        layer.bias = nn.Parameter(layer.weight.new_zeros(layer.out_features))


def _mean_inputs(
    model: nn.Module, layers: list[nn.Linear], inputs: tuple[Any, ...]
) -> dict[nn.Module, Tensor]:
    """Return the mean input of each layer that the model calls, over all calls."""
    sums: dict[nn.Module, Tensor] = {}
    counts: dict[nn.Module, int] = {}

    def note(layer: nn.Module, args: tuple[Tensor, ...]) -> None:
        rows = args[0].reshape(-1, args[0].shape[-1])
        sums[layer] = sums.get(layer, 0) + rows.sum(dim=0)
        counts[layer] = counts.get(layer, 0) + len(rows)

    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    was_training = {module: module.training for module in model.modules()}
    try:
        model.eval()(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
        for module, training in was_training.items():
            module.training = training
    return {layer: total / counts[layer] for layer, total in sums.items()}
