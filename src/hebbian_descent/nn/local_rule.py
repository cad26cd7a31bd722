"""Check, for any model, that autograd computes the local rule at the output layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import Array
from hebbian_descent.network import get_activation
from hebbian_descent.nn.centered import CenteredLinear
from hebbian_descent.nn.losses import LeakyHingeLoss, MatchingLoss, SmoothHuberLoss
from hebbian_descent.nn.tensors import (
    at_least_float32,
    require_same_shape,
    require_tensor,
    the_input,
    units_last,
)
from hebbian_descent.rules import Activity, get_rule
from hebbian_descent.rules.error_terms import difference


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

    In half precision rounding would be as large as what is to be told apart.
    """
    calls: list[Call] = []
    names = {module: name for name, module in model.named_modules() if isinstance(module, nn.Linear)}

    def note(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Tensor) -> None:
        assert isinstance(layer, nn.Linear)
        seen = the_input(args, kwargs).detach()
        name = names[layer] or type(layer).__name__
        calls.append(Call(name, layer, layer.weight, layer.bias, seen, output))

    hooks = [layer.register_forward_hook(note, with_kwargs=True) for layer in names]
    was_training = {module: module.training for module in model.modules()}
    try:
        with torch.enable_grad():
            returned = torch.func.functional_call(model.eval(), _precise(model), (_single(inputs),))
    finally:
        for hook in hooks:
            hook.remove()
        for module, training in was_training.items():
            module.training = training
    if not calls:
        raise ValueError(
            f"A model to be checked must call a linear layer. Got {type(model).__name__}, which calls none."
        )
    return Pass(returned, calls)


def _precise(model: nn.Module) -> dict[str, Tensor]:
    """Return those parameters and buffers that are in half precision, in float32."""
    tensors = dict([*model.named_parameters(), *model.named_buffers()])
    half = {name: tensor for name, tensor in tensors.items() if _single(tensor) is not tensor}
    return {
        name: _single(tensor.detach()).requires_grad_(tensor.requires_grad) for name, tensor in half.items()
    }


def _single(tensor: Tensor) -> Tensor:
    return at_least_float32(tensor) if tensor.is_floating_point() else tensor


Output = int | str | Callable[[Any], Tensor]
"""Where the output is in what a model returns: an index, a key or attribute, or a function that finds it."""


def find_output(seen: Pass, output: Output | None, *, preactivation: bool) -> Tensor:
    """Return the tensor that is compared with the targets.

    Without `output` it is what the model returns, if that is a tensor; of several, the one that the last
    linear layer returned, if pre-activations are looked for, or the only floating one.
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
        f"{len(tensors)}: say which by output=0, output='logits' or a function that returns it."
    )


def _picked(returned: Any, output: Output) -> Tensor:
    try:
        if callable(output):
            found = output(returned)
        elif isinstance(output, str) and not isinstance(returned, Mapping):
            found = getattr(returned, output)
        else:
            found = returned[output]
    except (LookupError, AttributeError, TypeError):
        found = None
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


LocalLoss = MatchingLoss | SmoothHuberLoss | LeakyHingeLoss


@dataclass(frozen=True)
class LocalRuleCheck:
    """How far the gradients of an output layer are from the mean of the local rule (x − μ)ᵀE(t, h)."""

    layer: str
    weight_difference: float
    """The largest difference between the gradient of a weight and the rule."""
    bias_difference: float
    """The same for the bias; 0 for a layer without, or whose bias does not learn."""
    weight_tolerance: float
    """What rounding can explain: 16 units in the last place of what the rule multiplies and adds up."""
    bias_tolerance: float
    """The same for the bias."""

    @property
    def agrees(self) -> bool:
        """Whether autograd's update is the local rule, up to rounding."""
        return self.weight_difference <= self.weight_tolerance and self.bias_difference <= self.bias_tolerance

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        verdict = "is" if self.agrees else "is not"
        return (
            f"The update of {self.layer!r} {verdict} the local rule: the weights differ by up to "
            f"{self.weight_difference:.1e} (rounding: {self.weight_tolerance:.1e}), the bias by "
            f"{self.bias_difference:.1e} (rounding: {self.bias_tolerance:.1e})."
        )


def check_local_rule(
    model: nn.Module,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: LocalLoss | None = None,
    output: Output | None = None,
) -> LocalRuleCheck:
    """Compare the gradient that autograd gives the output layer with Hebbian-descent, (x − μ)ᵀE(t, h).

    The output layer is the last linear layer that the model calls on the way to its output. With a
    `MatchingLoss` the model returns pre-activations; with one of the other losses, or none for the squared
    error ½(h − t)², it returns outputs. A model that returns several tensors needs `output`: an index, a key
    or a function. The model is asked in evaluation mode, in float32 if it is in half precision, and left as
    it was, without gradients in its parameters. A model whose output layer learns by gradient descent
    through φ′ does not agree, and the answer says by how much.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    require_tensor(targets, "targets")
    require_tensor(inputs, "inputs")
    if loss is not None:
        _require_local(loss, targets)
    targets = _single(targets)
    with torch.autocast(inputs.device.type, enabled=False):
        seen = run(model, inputs)
        result = find_output(seen, output, preactivation=isinstance(loss, MatchingLoss))
        call, found = _gradients(seen, _mean_loss(result, targets, loss))
    activity = _activity(call, result, targets, loss)
    change = get_rule("hebbian_descent").change(activity)
    assert change.bias is not None
    expected, limits = (
        [change.weights.T, change.bias],
        _rounding(activity, torch.finfo(call.weight.dtype).eps),
    )
    differences = [float(np.abs(g - e).max()) for g, e in zip(found, expected, strict=False)]
    return LocalRuleCheck(call.name, differences[0], differences[1] if len(found) > 1 else 0.0, *limits)


def _require_local(loss: LocalLoss, targets: Tensor) -> None:
    if not isinstance(loss, LocalLoss):
        raise TypeError(
            "The loss must be a MatchingLoss, a SmoothHuberLoss or a LeakyHingeLoss, or None for the squared "
            f"error. Got {type(loss).__name__}."
        )
    if loss.weight is not None:
        raise ValueError("The loss must be without weights, as the rule is. Got weights: pass one without.")
    if isinstance(loss, MatchingLoss) and (loss.pos_weight is not None or loss.label_smoothing):
        raise ValueError(
            "The loss must have the targets of the rule. Got label_smoothing or pos_weight: pass one without."
        )
    if not isinstance(loss, MatchingLoss) or targets.is_floating_point():
        return
    if bool(targets.eq(loss.ignore_index).any()):
        raise ValueError(
            f"All targets must count, as in the rule. Got some to be ignored ({loss.ignore_index}): leave "
            "their patterns out."
        )


def _require_learning(call: Call) -> None:
    weight = call.layer.weight
    if not isinstance(weight, nn.Parameter) or not weight.requires_grad:
        why = "weight needs no gradient" if isinstance(weight, nn.Parameter) else "weight is computed"
        raise ValueError(f"The output layer must have a weight that learns. Got {call.name!r}: its {why}.")


def _mean_loss(output: Tensor, targets: Tensor, loss: LocalLoss | None) -> Tensor:
    if loss is None:
        require_same_shape(output, targets)
        return ((output - targets) ** 2).sum(dim=-1).mean() / 2
    value: Tensor = loss(output, targets)
    patterns = units_last(output, loss.dim, "output")[..., 0].numel()
    return value.mean() if loss.reduction != "sum" else value / patterns


def _gradients(seen: Pass, value: Tensor) -> tuple[Call, list[Array]]:
    """Return the last call that the loss depends on, with the gradients of its weight and bias."""
    for call in reversed(seen.calls):
        _require_learning(call)
        parameters = [call.weight]
        if call.bias is not None and call.bias.requires_grad:
            parameters.append(call.bias)
        if not value.requires_grad:  # an output that knows no derivative
            return call, [_numpy(torch.zeros_like(parameter)) for parameter in parameters]
        gradients = torch.autograd.grad(value, parameters, retain_graph=True, allow_unused=True)
        if gradients[0] is not None:
            return call, [_numpy(gradient) for gradient in gradients]
    raise ValueError(
        "The output must depend on a linear layer of the model. Got one that does not: pass output=…"
    )


def _activity(call: Call, output: Tensor, targets: Tensor, loss: LocalLoss | None) -> Activity:
    """Return the activity of the layer as the core's rules see it."""
    dim = -1 if loss is None else loss.dim
    h = units_last(output.detach(), dim, "output")
    if isinstance(loss, MatchingLoss):
        h = loss.activation(h)
    if targets.is_floating_point():
        t = units_last(targets, dim, "targets")
    else:
        t = F.one_hot(targets.long(), h.shape[-1]).to(h)
    layer = call.layer
    offset = layer.offset if isinstance(layer, CenteredLinear) else torch.zeros_like(layer.weight[0])
    rows = _rows(h)
    return Activity(
        inputs=_rows(call.inputs),
        offset=_numpy(offset),
        targets=_rows(t),
        preactivation=rows,  # the rule asks neither for a nor for φ
        output=rows,
        activation=get_activation("linear"),
        error=difference() if loss is None else loss.error_term,
    )


def _rounding(activity: Activity, eps: float) -> tuple[float, float]:
    """Return what rounding can change in the gradients of the weights and of the bias."""
    x, h, t = activity.inputs - activity.offset, activity.output, activity.targets
    sizes = np.abs(activity.error(t, h)) + np.abs(h) + np.abs(t)
    products = np.abs(x).T @ sizes / len(x)
    return 16 * eps * float(products.max()), 16 * eps * float(sizes.mean(axis=0).max())


def _rows(tensor: Tensor) -> Array:
    return _numpy(tensor.reshape(-1, tensor.shape[-1]))


def _numpy(tensor: Tensor) -> Array:
    array: Array = tensor.detach().cpu().double().numpy()
    return array
