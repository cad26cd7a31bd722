"""The output layer of any model: the last linear layer that it calls, with what it sees and says."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from hebbian_descent.nn.tensors import the_input


class OutputPass(NamedTuple):
    """What happened at the output layer of a model during one pass."""

    name: str
    layer: nn.Linear
    inputs: Tensor  # (…, n_inputs)
    output: Tensor  # what the model returned


def run_output_layer(model: nn.Module, inputs: Tensor) -> OutputPass:
    """Run a model once in evaluation mode and return what happened at its last linear layer."""
    calls: list[tuple[nn.Module, Tensor]] = []

    def note(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        calls.append((layer, the_input(args, kwargs).detach()))

    names = {module: name for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    hooks = [layer.register_forward_pre_hook(note, with_kwargs=True) for layer in names]
    was_training = {module: module.training for module in model.modules()}
    try:
        with torch.enable_grad():
            output = model.eval()(inputs)
    finally:
        for hook in hooks:
            hook.remove()
        for module, training in was_training.items():
            module.training = training
    if not calls:
        raise ValueError(
            f"A model to be checked must call a linear layer. Got {type(model).__name__}, which calls none."
        )
    layer, seen = calls[-1]
    assert isinstance(layer, nn.Linear)
    return OutputPass(names[layer] or type(layer).__name__, layer, seen, output)
