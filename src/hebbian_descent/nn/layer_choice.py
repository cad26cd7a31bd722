"""Which layers of a model are centered, and biases for those that have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from hebbian_descent.checks import unknown_name
from hebbian_descent.nn.affine import (
    AffineMap,
    affine_maps,
    bias_of,
    learning_parameters,
    zero_response,
)

LayerChoice = str | nn.Module | type
Model = TypeVar("Model", bound=nn.Module)


class FoundMap(NamedTuple):
    """An affine map that one or several optimizers train."""

    layer_name: str
    layer: nn.Module
    affine: AffineMap
    owners: dict[Optimizer, list[nn.Parameter]]
    """The parameters θ, all but the bias, that each optimizer changes."""

    @property
    def name(self) -> str:
        """The name of the layer, with that of the bias if it is not `bias`."""
        parts = [self.layer_name, *self.affine.bias.split(".")]
        return ".".join(filter(None, parts[:-1] if parts[-1] == "bias" else parts)) or "bias"


def plain_model(model: nn.Module) -> nn.Module:
    """Return the model within the wrappers for several processes and for compilation."""
    if isinstance(model, DistributedDataParallel):
        return plain_model(model.module)
    inner = getattr(model, "_orig_mod", None)
    return plain_model(inner) if isinstance(inner, nn.Module) else model


def maps_to_center(
    model: nn.Module, optimizers: Sequence[Optimizer], layers: LayerChoice | Iterable[LayerChoice] | None
) -> list[FoundMap]:
    """Return every map of the chosen layers that learns; frozen ones stay as they are."""
    changed = {one: {p for group in one.param_groups for p in group["params"]} for one in optimizers}
    chosen = _chosen(model, layers)
    found = [
        FoundMap(name, layer, affine, owners)
        for name, layer in chosen.items()
        for affine in affine_maps(layer)
        if (owners := _owners(layer, affine, changed))
    ]
    if not found:
        if chosen:
            _require_its_parameters(model, set().union(*changed.values()))
        raise ValueError(
            "Centering needs a layer that it can center, with weights that the optimizer changes. "
            f"Got {type(model).__name__} with none: see register_affine for other kinds of layers."
        )
    _require_biases_that_learn(found, set().union(*changed.values()))
    return found


def add_biases_(model: Model, layers: LayerChoice | Iterable[LayerChoice] | None = None) -> Model:
    """Give a bias of 0 to every layer that can be centered and has none.

    Call it before the optimizer is made. The output does not change; a frozen layer gets a frozen bias.
    """
    for layer in _chosen(model, layers).values():
        weight = next(layer.parameters())
        for affine in affine_maps(layer):
            if bias_of(layer, affine) is None:
                path, _, name = affine.bias.rpartition(".")
                zeros = weight.new_zeros(zero_response(layer, affine).shape)
                bias = nn.Parameter(zeros, requires_grad=weight.requires_grad)
                setattr(layer.get_submodule(path), name, bias)
    return model


def _chosen(model: nn.Module, layers: LayerChoice | Iterable[LayerChoice] | None) -> dict[str, nn.Module]:
    """Return the layers of known kinds by name; what is part of one belongs to it."""
    known: dict[str, nn.Module] = {}
    parts: set[nn.Module] = set()
    for name, module in model.named_modules():  # a module comes before its parts
        if module in parts or not affine_maps(module) or "weight" in vars(module):
            continue  # where a hook computes the weight, by pruning, there is no parameter of that name
        _require_sizes(name, module)
        known[name] = module
        parts.update(module.modules())
    if layers is None:
        return known
    choices = [layers] if isinstance(layers, LayerChoice) else layers
    picked = {name for choice in choices for name in _names(choice, model, known)}
    return {name: layer for name, layer in known.items() if name in picked}


def _names(choice: LayerChoice, model: nn.Module, known: dict[str, nn.Module]) -> list[str]:
    if not isinstance(choice, LayerChoice):
        raise TypeError(f"A layer must be chosen by its name, its class or itself. Got {choice!r}.")
    if isinstance(choice, type):
        what, names = choice.__name__, [name for name, layer in known.items() if isinstance(layer, choice)]
    else:
        below = set(_module(choice, model, known).modules())
        what = repr(choice) if isinstance(choice, str) else type(choice).__name__
        names = [name for name, layer in known.items() if layer in below]
    if not names:
        raise ValueError(
            f"A layer to be centered must be of a known kind, or contain one. Got {what} with none: "
            "see register_affine for other kinds."
        )
    return names


def _module(choice: str | nn.Module, model: nn.Module, known: dict[str, nn.Module]) -> nn.Module:
    if isinstance(choice, nn.Module):
        return choice
    modules = dict(model.named_modules())
    if choice not in modules:
        raise unknown_name("layer to be centered", choice, known)
    return modules[choice]


def _require_sizes(name: str, layer: nn.Module) -> None:
    if isinstance(layer, LazyModuleMixin) and layer.has_uninitialized_params():
        raise ValueError(
            "The layers of a model to be centered must know their sizes. "
            f"Got {name!r}, a {type(layer).__name__}: run the model once first."
        )


def _owners(
    layer: nn.Module, affine: AffineMap, changed: dict[Optimizer, set[nn.Parameter]]
) -> dict[Optimizer, list[nn.Parameter]]:
    learning = learning_parameters(layer, affine)
    parts = {optimizer: [p for p in learning if p in its] for optimizer, its in changed.items()}
    return {optimizer: part for optimizer, part in parts.items() if part}


def _require_its_parameters(model: nn.Module, changed: set[nn.Parameter]) -> None:
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if learning and changed.isdisjoint(learning):
        raise ValueError(
            "The optimizer must hold parameters of the model. "
            f"Got one with {len(changed)} others and none of the {len(learning)} of {type(model).__name__} "
            "that learn: was it made for another model, or before this one was copied or sharded?"
        )


def _require_biases_that_learn(found: list[FoundMap], learning: set[nn.Parameter]) -> None:
    owners: dict[nn.Parameter, str] = {}
    without = []
    for name, layer, affine, _ in found:
        bias = bias_of(layer, affine)
        if not isinstance(bias, nn.Parameter) or not bias.requires_grad or bias not in learning:
            without.append(name)
        elif owners.setdefault(bias, name) != name:
            raise ValueError(
                "Each layer to be centered must have a bias of its own, which makes up for its offset. "
                f"Got one for both {owners[bias]!r} and {name!r}: give each its own, or call one twice."
            )
    if without:
        raise ValueError(
            "A layer to be centered needs a bias that the optimizer changes. "
            f"Got {', '.join(map(repr, dict.fromkeys(without)))} without: call add_biases_(model) before the "
            "optimizer is made, or choose other layers with layers=."
        )
