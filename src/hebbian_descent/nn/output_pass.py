"""One pass through a model: the linear layers that it called, and its output among what it returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from hebbian_descent.nn.evaluation import evaluating
from hebbian_descent.nn.tensors import at_least_float32, the_input


class Call(NamedTuple):
    """A call of a linear layer during one pass of a model."""

    name: str
    layer: nn.Linear
    weight: Tensor  # (n_outputs, n_inputs), as the pass used it
    bias: Tensor | None
    inputs: Tensor  # (…, n_inputs)
    output: Tensor


class Pass(NamedTuple):
    """What a model returned, and the linear layers that it called, the last one last."""

    returned: Any
    calls: list[Call]


def run(model: nn.Module, inputs: Tensor) -> Pass:
    """Run a model once in evaluation mode, in float32 at least, and note the calls of its linear layers.

    In half precision rounding would be as large as the differences to detect.
    """
    calls: list[Call] = []
    names = {module: name for name, module in model.named_modules() if isinstance(module, nn.Linear)}

    def note(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Tensor) -> None:
        assert isinstance(layer, nn.Linear)
        seen = the_input(args, kwargs).detach()
        name = names[layer] or type(layer).__name__
        calls.append(Call(name, layer, layer.weight, layer.bias, seen, output))

    hooks = [layer.register_forward_hook(note, with_kwargs=True) for layer in names]
    try:
        with evaluating(model), torch.enable_grad():
            returned = torch.func.functional_call(model, _precise(model), (at_least_float32(inputs),))
    finally:
        for hook in hooks:
            hook.remove()
    if not calls:
        raise ValueError(
            f"A model to be checked must call a linear layer. Got {type(model).__name__}, which calls none."
        )
    return Pass(returned, calls)


def _precise(model: nn.Module) -> dict[str, Tensor]:
    """Return those parameters and buffers that are in half precision, in float32."""
    tensors = dict([*model.named_parameters(), *model.named_buffers()])
    half = {name: tensor for name, tensor in tensors.items() if at_least_float32(tensor) is not tensor}
    return {
        name: at_least_float32(tensor.detach()).requires_grad_(tensor.requires_grad)
        for name, tensor in half.items()
    }


Output = int | str | Callable[[Any], Tensor]
"""Where the output is in what a model returns: an index, a key or attribute, or a function that finds it."""


def find_output(seen: Pass, output: Output | None, *, preactivation: bool) -> Tensor:
    """Return the tensor that is compared with the targets.

    Without `output` it is what the model returns, if that is a tensor; of several, the one that the last
    linear layer returned, if pre-activations are wanted, or the only floating one.
    """
    returned = seen.returned
    if output is not None:
        return _picked(returned, output)
    if isinstance(returned, Tensor):
        return returned
    tensors = [tensor for tensor in _tensors_in(returned) if tensor.is_floating_point()]
    if preactivation and any(tensor is seen.calls[-1].output for tensor in tensors):
        return seen.calls[-1].output
    if len(tensors) == 1:
        return tensors[0]
    raise ValueError(
        f"The output of a model to be checked must be one tensor. Got {type(returned).__name__} with "
        f"{len(tensors)}: choose one by output=0, output='logits' or a function that returns it."
    )


def _picked(returned: Any, output: Output) -> Tensor:
    found: Any
    if callable(output):
        found = output(returned)
    elif isinstance(output, str):
        found = returned.get(output) if isinstance(returned, Mapping) else getattr(returned, output, None)
    else:
        values = returned.values() if isinstance(returned, Mapping) else returned
        parts = list(values) if isinstance(returned, Mapping | Sequence) else []
        found = parts[output] if -len(parts) <= output < len(parts) else None
    if not isinstance(found, Tensor):
        raise ValueError(
            f"The output must say where the tensor is in what the model returns. Got {output!r} for "
            f"{type(returned).__name__}, where there is none."
        )
    return found


def _tensors_in(returned: Any) -> Iterator[Tensor]:
    if isinstance(returned, Tensor):
        yield returned
    elif isinstance(returned, Mapping):
        yield from _tensors_in(list(returned.values()))
    elif isinstance(returned, Sequence) and not isinstance(returned, str):
        for part in returned:
            yield from _tensors_in(part)
