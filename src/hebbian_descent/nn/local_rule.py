"""Check, for any model, that autograd computes the local rule at the output layer."""

from __future__ import annotations

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
from hebbian_descent.nn.tensors import require_same_shape, require_tensor, the_input
from hebbian_descent.rules import Activity, get_rule
from hebbian_descent.rules.error_terms import difference


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


LocalLoss = MatchingLoss | SmoothHuberLoss | LeakyHingeLoss


@dataclass(frozen=True)
class LocalRuleCheck:
    """How far the gradients of an output layer are from the mean of the local rule (x − μ)ᵀE(t, h)."""

    layer: str
    weight_difference: float
    """The largest difference between the gradient of a weight and the rule."""
    bias_difference: float
    """The same for the bias; 0 for a layer without, or whose bias does not learn."""
    tolerance: float
    """What rounding can explain: 16 units in the last place of the largest input times the largest output."""

    @property
    def agrees(self) -> bool:
        """Whether autograd's update is the local rule, up to rounding."""
        return max(self.weight_difference, self.bias_difference) <= self.tolerance

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        verdict = "is" if self.agrees else "is not"
        return (
            f"The update of {self.layer!r} {verdict} the local rule: the weights differ by up to "
            f"{self.weight_difference:.1e}, the bias by {self.bias_difference:.1e} "
            f"(rounding: {self.tolerance:.1e})."
        )


def check_local_rule(
    model: nn.Module, inputs: Tensor, targets: Tensor, *, loss: LocalLoss | None = None
) -> LocalRuleCheck:
    """Compare the gradient that autograd gives the output layer with Hebbian-descent, (x − μ)ᵀE(t, h).

    The output layer is the last linear layer that the model calls. With a `MatchingLoss` the model returns
    pre-activations; with one of the other losses, or none for the squared error ½(h − t)², it returns
    outputs. The model is asked in evaluation mode and left as it was, without gradients in its parameters. A
    model whose output layer learns by gradient descent through φ′ does not agree, and the answer says by how
    much.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    require_tensor(targets, "targets")
    if loss is not None:
        _require_local(loss, targets)
    seen = run_output_layer(model, inputs)
    _require_learning(seen)
    found = _gradients(seen, _mean_loss(seen.output, targets, loss))
    activity = _activity(seen, targets, loss)
    change = get_rule("hebbian_descent").change(activity)
    assert change.bias is not None
    expected = [change.weights.T, change.bias][: len(found)]
    differences = [float(np.abs(g - e).max()) for g, e in zip(found, expected, strict=True)]
    return LocalRuleCheck(
        layer=seen.name,
        weight_difference=differences[0],
        bias_difference=differences[1] if len(differences) > 1 else 0.0,
        tolerance=16 * torch.finfo(seen.layer.weight.dtype).eps * _scale(activity),
    )


def _require_local(loss: LocalLoss, targets: Tensor) -> None:
    if not isinstance(loss, LocalLoss):
        raise TypeError(
            "The loss must be a MatchingLoss, a SmoothHuberLoss or a LeakyHingeLoss, or None for the squared "
            f"error. Got {type(loss).__name__}."
        )
    if loss.weight is not None:
        raise ValueError("The loss must be without weights, as the rule is. Got weights: pass one without.")
    if not isinstance(loss, MatchingLoss) or targets.is_floating_point():
        return
    if bool(targets.eq(loss.ignore_index).any()):
        raise ValueError(
            f"All targets must count, as in the rule. Got some to be ignored ({loss.ignore_index}): leave "
            "their patterns out."
        )


def _require_learning(seen: OutputPass) -> None:
    weight = seen.layer.weight
    if not isinstance(weight, nn.Parameter) or not weight.requires_grad:
        why = "weight needs no gradient" if isinstance(weight, nn.Parameter) else "weight is computed"
        raise ValueError(f"The output layer must have a weight that learns. Got {seen.name!r}: its {why}.")


def _mean_loss(output: Tensor, targets: Tensor, loss: LocalLoss | None) -> Tensor:
    if loss is None:
        require_same_shape(output, targets)
        return ((output - targets) ** 2).sum(dim=-1).mean() / 2
    value: Tensor = loss(output, targets)
    return value.mean() if loss.reduction != "sum" else value / output[..., 0].numel()


def _gradients(seen: OutputPass, value: Tensor) -> list[Array]:
    layer = seen.layer
    learns = layer.bias is not None and layer.bias.requires_grad
    parameters = [layer.weight, layer.bias] if learns else [layer.weight]
    if not value.requires_grad:  # an output that knows no derivative
        return [_numpy(torch.zeros_like(parameter)) for parameter in parameters]
    return [_numpy(gradient) for gradient in torch.autograd.grad(value, parameters)]


def _activity(seen: OutputPass, targets: Tensor, loss: LocalLoss | None) -> Activity:
    """Return the activity of the layer as the core's rules see it."""
    phi = loss.activation if isinstance(loss, MatchingLoss) else None
    h = seen.output.detach() if phi is None else phi(seen.output.detach())
    if not targets.is_floating_point():
        targets = F.one_hot(targets.long(), h.shape[-1]).to(h)
    layer = seen.layer
    offset = layer.offset if isinstance(layer, CenteredLinear) else torch.zeros_like(layer.weight[0])
    output = _rows(h)
    return Activity(
        inputs=_rows(seen.inputs),
        offset=_numpy(offset),
        targets=_rows(targets),
        preactivation=output,  # the rule asks neither for a nor for φ
        output=output,
        activation=get_activation("linear"),
        error=difference() if loss is None else loss.error_term,
    )


def _scale(activity: Activity) -> float:
    """Return the magnitude of the numbers that the rule multiplies and subtracts."""
    x, h, t = activity.inputs - activity.offset, activity.output, activity.targets
    return max(1.0, float(np.abs(x).max())) * max(float(np.abs(h).max()), float(np.abs(t).max()))


def _rows(tensor: Tensor) -> Array:
    return _numpy(tensor.reshape(-1, tensor.shape[-1]))


def _numpy(tensor: Tensor) -> Array:
    array: Array = tensor.detach().cpu().double().numpy()
    return array
