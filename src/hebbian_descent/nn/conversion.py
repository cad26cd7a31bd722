"""Conversion of a whole model to centered layers and back, with unchanged output."""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from hebbian_descent.checks import as_number
from hebbian_descent.nn.centered import CenteredLinear
from hebbian_descent.nn.evaluation import run_batch
from hebbian_descent.nn.offsets import offset_values
from hebbian_descent.nn.tensors import require_model, require_no_momentum, the_input

Model = TypeVar("Model", bound=nn.Module)


@torch.no_grad()
def center_(
    model: Model, *inputs: Any, offset: float = 0.0, shift: float = 0.01, momentum: None = None
) -> Model:
    """Turn every `nn.Linear` of a model into a `CenteredLinear`, in place; its output does not change.

    With `inputs`, a batch as the model takes it, the offsets start at the mean input of each layer, and at 0
    where the model does not call the layer but reads its weights; without, all start at `offset`. The
    parameters stay the same objects, so that an earlier optimizer stays valid; only a layer without bias gets
    a new one, b = Wμ. It skips subclasses of `nn.Linear`, which may use their weights in another way (the
    output projection of `nn.MultiheadAttention`, layers with parametrizations), and layers whose weights a
    hook computes (pruned ones).

    Paper: eqn:neuron_matrix_rep1
    """
    require_no_momentum(momentum)
    require_model(model)
    as_number(shift, "shift", at_least=0, at_most=1)
    layers = _layers_to_center(model)
    means = _mean_inputs(model, layers, inputs) if inputs else dict.fromkeys(layers, offset)
    starts = [offset_values(means.get(layer, 0.0), layer.in_features, like=layer.weight) for layer in layers]
    for layer, start in zip(layers, starts, strict=True):
        _center_layer(layer, start, shift)
    for module in model.modules():
        if isinstance(module, nn.TransformerEncoder):
            module.use_nested_tensor = False  # made for the fused inference, which ignores the offsets
    return model


@torch.no_grad()
def uncenter_(model: Model) -> Model:
    """Turn every `CenteredLinear` of a model into an `nn.Linear`, in place; its output does not change.

    The offset goes into the bias, b − Wμ, which is made where there is none. Layers that are more than a
    `CenteredLinear` stay what they are, with an offset of 0 that no longer moves.

    Paper: eqn:neuron_matrix_rep1
    """
    for module in model.modules():
        if isinstance(module, CenteredLinear):
            _uncenter_layer(module)
    return model


def _layers_to_center(model: nn.Module) -> list[nn.Linear]:
    named = {name: module for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    for name, module in named.items():
        if isinstance(module, nn.LazyLinear) and module.has_uninitialized_params():
            raise ValueError(
                "The layers of a model to be centered must know their sizes. "
                f"Got {name!r}, a LazyLinear: run the model once first."
            )
    plain = {name: module for name, module in named.items() if _is_plain(module)}
    if not plain:
        others = ", ".join(sorted({type(module).__name__ for module in named.values()}))
        raise ValueError(
            f"A model to be centered must hold an nn.Linear. Got {type(model).__name__} without"
            + (f", only {others}." if others else ".")
        )
    _require_own_biases(plain)
    return list(plain.values())


def _is_plain(layer: nn.Linear) -> bool:
    own = isinstance(layer.weight, nn.Parameter) and isinstance(layer.bias, nn.Parameter | None)
    return type(layer) is nn.Linear and own


def _require_own_biases(layers: dict[str, nn.Linear]) -> None:
    owners: dict[nn.Parameter, str] = {}
    for name, layer in layers.items():
        if layer.bias is not None and owners.setdefault(layer.bias, name) != name:
            raise ValueError(
                "Each layer to be centered must have a bias of its own, which makes up for its offset. "
                f"Got one for both {owners[layer.bias]!r} and {name!r}: give each its own, or call one twice."
            )


def _center_layer(layer: nn.Linear, offset: Tensor, shift: float) -> None:
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
        del layer.offset, layer.shift, layer.start, layer.seen, layer.note_hook
        layer.__class__ = nn.Linear  # type: ignore[assignment]


def _ensure_bias(layer: nn.Linear) -> None:
    if layer.bias is None:
        zeros = layer.weight.new_zeros(layer.out_features)
        layer.bias = nn.Parameter(zeros, requires_grad=layer.weight.requires_grad)


def _mean_inputs(
    model: nn.Module, layers: list[nn.Linear], inputs: tuple[Any, ...]
) -> dict[nn.Linear, Tensor]:
    """Return the mean input of each layer that the model calls, over all calls."""
    sums: dict[nn.Linear, Tensor] = {}
    counts: dict[nn.Linear, int] = {}

    def note(layer: nn.Linear, args: tuple[Tensor, ...], kwargs: dict[str, Tensor]) -> None:
        x = the_input(args, kwargs)
        rows = x.reshape(-1, x.shape[-1])
        sums[layer] = sums.get(layer, 0) + rows.sum(dim=0)
        counts[layer] = counts.get(layer, 0) + len(rows)

    hooks = [layer.register_forward_pre_hook(note, with_kwargs=True) for layer in layers]
    try:
        run_batch(model, *inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return {layer: total / counts[layer] for layer, total in sums.items()}
