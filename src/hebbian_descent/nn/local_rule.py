"""Check, for any model, that autograd computes the local rule at the output layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.checks import Array
from hebbian_descent.network import get_activation
from hebbian_descent.nn.centered import CenteredLinear
from hebbian_descent.nn.losses import LeakyHingeLoss, MatchingLoss, SmoothHuberLoss
from hebbian_descent.nn.output_pass import Call, Output, Pass, find_output, run
from hebbian_descent.nn.tensors import at_least_float32, require_same_shape, require_tensor, units_last
from hebbian_descent.rules import Activity, get_rule
from hebbian_descent.rules.error_terms import difference

LocalLoss = MatchingLoss | SmoothHuberLoss | LeakyHingeLoss


@dataclass(frozen=True)
class LocalRuleCheck:
    """How far the gradients of an output layer are from the mean of the local rule (x − μ)ᵀE(t, h)."""

    layer: str
    weight_difference: float
    """The largest difference between the gradient of a weight and the rule."""
    bias_difference: float
    """The same for the bias; 0 for a layer without one, or whose bias does not learn."""
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
    or a function. The model is run in evaluation mode, in float32 if it is in half precision, and left as
    it was, without gradients in its parameters. A model whose output layer learns by gradient descent
    through φ′ does not agree, and the result says by how much.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    require_tensor(targets, "targets")
    require_tensor(inputs, "inputs")
    if loss is not None:
        _require_local(loss, targets)
    targets = at_least_float32(targets)
    with torch.autocast(inputs.device.type, enabled=False):
        seen = run(model, inputs)
        result = find_output(seen, output, preactivation=isinstance(loss, MatchingLoss))
        call, found = _gradients(seen, _mean_loss(result, targets, loss))
    activity = _activity(call, result, targets, loss)
    change = get_rule("hebbian_descent").change(activity)
    assert change.bias is not None
    expected = [change.weights.T, change.bias][: len(found)]
    differences = [float(np.abs(g - e).max()) for g, e in zip(found, expected, strict=True)]
    weight_tolerance, bias_tolerance = _rounding(activity, torch.finfo(call.weight.dtype).eps)
    return LocalRuleCheck(
        layer=call.name,
        weight_difference=differences[0],
        bias_difference=differences[1] if len(differences) > 1 else 0.0,
        weight_tolerance=weight_tolerance,
        bias_tolerance=bias_tolerance,
    )


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
        if not value.requires_grad:  # an output without derivative
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
        preactivation=rows,  # the rule needs neither a nor φ
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
