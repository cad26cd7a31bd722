"""Layers that are affine in their inputs, a = R(θ, x) + b, and what centering must know about each kind.

Two functions are enough: what goes in, and R, what a constant input adds to the output. The rest follows,
since b = b_c − R(θ, μ) is a change of coordinates whatever θ is; autograd takes the derivative of R.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from hebbian_descent.nn.offsets import offset_dtype, whole
from hebbian_descent.nn.tensors import at_least_float32, beside_distributed


class Counted(NamedTuple):
    """Activities with the units on the last axis, and which of them count, by default all."""

    values: Tensor  # (..., n_units)
    keep: Tensor | None = None  # (...)


class AffineMap(NamedTuple):
    """How to center one affine map of a layer.

    `inputs(layer, *args, **kwargs)`, called as the layer was, returns what goes in, the units on the last
    axis: a tensor, or a tuple of tensors for a map of several. `units(layer)` returns their numbers of units.
    `response(layer, *offsets)` returns what these inputs, held constant, add to the output; the offsets are
    float32 where the layer has half precision. `bias` is the name of the parameter that makes up for it.
    """

    inputs: Callable[..., Any]
    units: Callable[[Any], Any]
    response: Callable[..., Tensor]
    bias: str = "bias"
    offsets: Callable[..., tuple[Tensor, ...]] | None = None
    """Computes the offsets from the mean inputs, if they are not these themselves."""
    add_outer: Callable[[Any, Tensor, Tensor, int], None] | None = None
    """Adds ±∂b μᵀ to the gradient of a plain `weight`, in place; without it autograd does."""


def register_affine(
    kind: type[nn.Module],
    *,
    inputs: Callable[..., Any],
    units: Callable[[Any], Any],
    response: Callable[..., Tensor],
    bias: str = "bias",
) -> None:
    """Register a kind of layer to center, by what goes in and what a constant input adds to the output.

    For a layer whose output is `x @ layer.kernel + layer.bias`:

        register_affine(
            Dense,
            inputs=lambda layer, x: x,
            units=lambda layer: layer.kernel.shape[0],
            response=lambda layer, offset: offset @ layer.kernel,
        )

    Layers inside a registered one belong to it and are not centered by themselves.
    """
    AFFINE_MAPS[kind] = (AffineMap(inputs, units, response, bias),)


def affine_maps(layer: nn.Module) -> tuple[AffineMap, ...]:
    """Return the maps of a layer, none if its kind is unknown or a subclass computes something else."""
    for kind in type(layer).__mro__:
        maps = AFFINE_MAPS.get(kind) or AFFINE_MAPS.get(f"{kind.__module__}.{kind.__qualname__}")
        if maps:
            return maps if type(layer).forward is cast("type[nn.Module]", kind).forward else ()
    return ()


def unit_counts(layer: nn.Module, affine: AffineMap) -> tuple[int, ...]:
    """Return the number of units of each input."""
    units = affine.units(layer)
    return (units,) if isinstance(units, int) else tuple(units)


def bias_of(layer: nn.Module, affine: AffineMap) -> Tensor | None:
    """Return the bias of a map, None if it has none."""
    path, _, name = affine.bias.rpartition(".")
    return getattr(layer.get_submodule(path), name)


def zero_response(layer: nn.Module, affine: AffineMap) -> Tensor:
    """Return R(θ, 0), which is 0, with a graph of the parameters on which R depends."""
    like = next(layer.parameters())
    dtype, device = offset_dtype(like), like.device
    offsets = [torch.zeros(n, dtype=dtype, device=device) for n in unit_counts(layer, affine)]
    with beside_distributed(like):
        if affine.offsets is not None:
            offsets = [torch.zeros_like(offset) for offset in affine.offsets(layer, *offsets)]
        return affine.response(layer, *offsets)


@torch.enable_grad()
def learning_parameters(layer: nn.Module, affine: AffineMap) -> list[nn.Parameter]:
    """Return the parameters θ of a map that are not frozen."""
    response = zero_response(layer, affine)
    candidates = [parameter for parameter in layer.parameters() if parameter.requires_grad]
    if not response.requires_grad:
        return []
    with beside_distributed(candidates[0]):
        gradients = torch.autograd.grad(response, candidates, torch.zeros_like(response), allow_unused=True)
    learning = [p for p, gradient in zip(candidates, gradients, strict=True) if gradient is not None]
    if any(parameter is bias_of(layer, affine) for parameter in learning):
        raise ValueError(
            f"The response of {type(layer).__name__} must be linear in the offsets. "
            f"Got one that depends on {affine.bias!r}: leave it out."
        )
    return learning


def _the_input(layer: nn.Module, input: Tensor) -> Tensor:
    return input


def _linear_response(layer: Any, offset: Tensor) -> Tensor:
    return _product(layer.weight, offset)


def _add_outer(layer: Any, error: Tensor, offset: Tensor, sign: int) -> None:
    layer.weight.grad.addr_(error, offset, alpha=sign)


def _product(weight: Tensor, offset: Tensor) -> Tensor:
    return at_least_float32(weight) @ offset  # in half precision the change by one step would be lost


def _channels_last(layer: Any, input: Tensor, output_size: Any = None) -> Tensor:
    return input.movedim(-1 - len(layer.kernel_size), -1)


def _convolution_response(layer: Any, offset: Tensor) -> Tensor:
    # As if no border were near: any change of coordinates is valid, and this one is exact in the middle.
    by_channel = at_least_float32(layer.weight).flatten(2).sum(-1)  # (n_outputs, n_inputs / groups)
    its_offset = offset.view(layer.groups, -1).repeat_interleave(layer.out_channels // layer.groups, dim=0)
    return (by_channel * its_offset).sum(1)


def _transposed_response(layer: Any, offset: Tensor) -> Tensor:
    by_channel = at_least_float32(layer.weight).flatten(2).sum(-1)  # (n_inputs, n_outputs / groups)
    outputs = (by_channel * offset[:, None]).unflatten(0, (layer.groups, -1)).sum(1).flatten()
    return outputs / prod(layer.stride)  # an output sees each weight at one of so many positions


def _bilinear_response(layer: Any, first: Tensor, second: Tensor) -> Tensor:
    return (at_least_float32(layer.weight) * torch.outer(first, second)).flatten(1).sum(1)


def _attention_inputs(
    layer: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None = None,
    *args: Any,
    **kwargs: Any,
) -> tuple[Counted, ...]:
    keep = None
    if key_padding_mask is not None:  # True, or −∞ in a mask that is added, where there is only padding
        is_flag = key_padding_mask.dtype == torch.bool
        keep = ~(key_padding_mask if is_flag else key_padding_mask.isneginf())
        keep = keep if layer.batch_first or key.ndim == 2 else keep.T
    return Counted(query, keep if query is key else None), Counted(key, keep), Counted(value, keep)


def _attention_units(layer: Any) -> tuple[int, ...]:
    return layer.embed_dim, layer.kdim, layer.vdim


def _attention_response(layer: Any, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    if layer.in_proj_weight is None:
        weights = (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)
        return torch.cat([_product(W, mu) for W, mu in zip(weights, (query, key, value), strict=True)])
    offsets = torch.stack([query, key, value]).repeat_interleave(layer.embed_dim, dim=0)
    return (layer.in_proj_weight * offsets).sum(1)  # (3 * n_units,), whichever rows a process holds


def _mean_value(layer: Any, value: Tensor) -> tuple[Tensor]:
    # The output projection gets weighted means of values, which no hook sees. Their mean is that of the
    # values if every position is attended to alike; as the origin of coordinates it serves in any case.
    W, b = layer.v_proj_weight, layer.in_proj_bias
    W = layer.in_proj_weight[-layer.embed_dim :] if W is None else W
    mean = _product(W, value) + (0 if b is None else b[-layer.embed_dim :])
    return (whole(mean),)


LINEAR = AffineMap(_the_input, lambda layer: layer.in_features, _linear_response, add_outer=_add_outer)
CONVOLUTION = AffineMap(_channels_last, lambda layer: layer.in_channels, _convolution_response)
TRANSPOSED = CONVOLUTION._replace(response=_transposed_response)
BILINEAR = AffineMap(
    lambda layer, input1, input2: (input1, input2),
    lambda layer: (layer.in1_features, layer.in2_features),
    _bilinear_response,
)
ATTENTION = (
    AffineMap(_attention_inputs, _attention_units, _attention_response, "in_proj_bias"),
    AffineMap(
        lambda layer, *args, **kwargs: _attention_inputs(layer, *args, **kwargs)[2],
        lambda layer: layer.vdim,
        lambda layer, offset: _product(layer.out_proj.weight, offset),
        "out_proj.bias",
        _mean_value,
    ),
)
# Despite its name a linear layer, with weights of (n_inputs, n_outputs).
HUGGING_FACE_CONV1D = AffineMap(
    lambda layer, x: x,
    lambda layer: layer.weight.shape[0],
    lambda layer, offset: _product(layer.weight.T, offset),
    add_outer=lambda layer, error, offset, sign: _add_outer(layer, offset, error, sign),
)

AFFINE_MAPS: dict[type[nn.Module] | str, tuple[AffineMap, ...]] = {
    nn.Linear: (LINEAR,),
    nn.Conv1d: (CONVOLUTION,),
    nn.Conv2d: (CONVOLUTION,),
    nn.Conv3d: (CONVOLUTION,),
    nn.ConvTranspose1d: (TRANSPOSED,),
    nn.ConvTranspose2d: (TRANSPOSED,),
    nn.ConvTranspose3d: (TRANSPOSED,),
    nn.Bilinear: (BILINEAR,),
    nn.MultiheadAttention: ATTENTION,
    "transformers.pytorch_utils.Conv1D": (HUGGING_FACE_CONV1D,),  # by name, so that nothing is imported
}
