"""Hooks of forward passes, which record what goes into a layer, and the passes in which they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from hebbian_descent.nn.coordinates import Coordinates
from hebbian_descent.nn.offsets import is_recorded


@dataclass(eq=False)
class Mask:
    """Which inputs are not padding, and whether any layer used the mask."""

    keep: Tensor
    noted: bool = False
    """Whether some layer had inputs that count."""
    fits: bool = False
    """Whether some had the shape of `keep`."""


@dataclass(eq=False)
class Passes:
    """What counts in the current forward passes; shared by all hooks of a `Centering`, their owner."""

    owner: Any
    mask: Mask | None = None
    all_count: bool = False
    """Whether passes in evaluation and without gradients count, too."""


class HookOfOneModel:
    """A hook that does nothing in deep or pickled copies of its model, which are not part of its training.

    So a copy holds neither the optimizer nor the offsets.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Callable[..., None]:
        return ignore_pass

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[()]]:
        return _get_ignore_pass, ()


class BeforePass(HookOfOneModel):
    """Calls a function before each forward pass that a gradient may follow."""

    def __init__(self, function: Callable[[], None]) -> None:
        self.function = function

    def __call__(self, model: nn.Module, args: Any) -> None:
        """Call it in training."""
        if model.training and torch.is_grad_enabled():
            self.function()


class InputHook(HookOfOneModel):
    """Records the inputs of a layer in training."""

    def __init__(self, coordinates: Sequence[Coordinates], passes: Passes) -> None:
        self.coordinates, self.passes = coordinates, passes

    def __call__(self, layer: nn.Module, args: Any, *rest: Any) -> None:
        """Record what a pass took in, with its keywords, if the hook is called with them."""
        passes = self.passes
        if is_recorded() or not (layer.training or passes.all_count):
            return
        kwargs = rest[0] if len(rest) == 2 else {}  # quantisation registers hooks again, without keywords
        mask = passes.mask
        keep = None if mask is None else mask.keep
        fits = [its.note(args, kwargs, keep, in_any_pass=passes.all_count) for its in self.coordinates]
        if mask is not None:
            mask.noted |= torch.is_grad_enabled() or passes.all_count
            mask.fits |= any(fits)


def add_input_hooks(coordinates: Iterable[Coordinates], passes: Passes) -> list[RemovableHandle]:
    """Register one hook for each layer, unless another `Centering` has one there."""
    by_layer: dict[nn.Module, list[Coordinates]] = {}
    for its in coordinates:
        if any(isinstance(hook, InputHook) for hook in its.layer._forward_hooks.values()):
            raise ValueError(
                f"Each layer can be centered once. Got {its.name!r}, which another Centering centers: "
                "call its detach() first; Centering.attached_to(model) finds it."
            )
        by_layer.setdefault(its.layer, []).append(its)
    # After the pass, not before: then a hook sees the input as all others left it.
    return [
        layer.register_forward_hook(InputHook(each, passes), with_kwargs=True)
        for layer, each in by_layer.items()
    ]


def ignore_pass(*args: Any) -> None:
    """Do nothing, in place of a hook that belongs to another model."""


def _get_ignore_pass() -> Callable[..., None]:
    return ignore_pass
