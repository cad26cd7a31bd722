"""Is what autograd computes for the output layer the local rule? Shown for any model."""

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
from hebbian_descent.nn.output_layer import OutputPass, run_output_layer
from hebbian_descent.nn.tensors import require_same_shape
from hebbian_descent.rules import Activity, Change, get_rule
from hebbian_descent.rules.error_terms import difference

LocalLoss = MatchingLoss | SmoothHuberLoss | LeakyHingeLoss


@dataclass(frozen=True)
class LocalRuleCheck:
    """How far the gradients of an output layer are from the mean of the local rule (x − μ)ᵀE(t, h)."""

    layer: str
    weight_difference: float
    """The largest difference between the gradient of a weight and the rule."""
    bias_difference: float
    """The same for the bias; 0 for a layer without."""
    tolerance: float
    """What rounding can explain: a thousand units in the last place of the largest change."""

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
    if loss is not None and loss.weight is not None:
        raise ValueError("The loss must be without weights, as the rule is. Got weights: pass one without.")
    seen = run_output_layer(model, inputs)
    found = _gradients(seen, _mean_loss(seen.output, targets, loss))
    change = _rule(seen, targets, loss)
    assert change.bias is not None
    expected = [change.weights.T, change.bias][: len(found)]
    differences = [float(np.abs(g - e).max()) for g, e in zip(found, expected, strict=True)]
    rounding = 1000 * torch.finfo(seen.layer.weight.dtype).eps
    return LocalRuleCheck(
        layer=seen.name,
        weight_difference=differences[0],
        bias_difference=differences[1] if len(differences) > 1 else 0.0,
        tolerance=rounding * max(1.0, float(np.abs(change.weights).max())),
    )


def _mean_loss(output: Tensor, targets: Tensor, loss: LocalLoss | None) -> Tensor:
    if loss is None:
        require_same_shape(output, targets)
        return ((output - targets) ** 2).sum(dim=-1).mean() / 2
    value: Tensor = loss(output, targets)
    return value.mean() if loss.reduction != "sum" else value / output[..., 0].numel()


def _gradients(seen: OutputPass, value: Tensor) -> list[Array]:
    layer = seen.layer
    parameters = [layer.weight] if layer.bias is None else [layer.weight, layer.bias]
    if not value.requires_grad:  # an output that knows no derivative
        return [_numpy(torch.zeros_like(parameter)) for parameter in parameters]
    return [_numpy(gradient) for gradient in torch.autograd.grad(value, parameters)]


def _rule(seen: OutputPass, targets: Tensor, loss: LocalLoss | None) -> Change:
    """Return the update of Hebbian-descent as the core computes it from what the layer saw."""
    phi = loss.activation if isinstance(loss, MatchingLoss) else None
    h = seen.output.detach() if phi is None else phi(seen.output.detach())
    if not targets.is_floating_point():
        targets = F.one_hot(targets.long(), h.shape[-1]).to(h)
    layer = seen.layer
    offset = layer.offset if isinstance(layer, CenteredLinear) else torch.zeros_like(layer.weight[0])
    output = _rows(h)
    return get_rule("hebbian_descent").change(
        Activity(
            inputs=_rows(seen.inputs),
            offset=_numpy(offset),
            targets=_rows(targets),
            preactivation=output,  # the rule asks neither for a nor for φ
            output=output,
            activation=get_activation("linear"),
            error=difference() if loss is None else loss.error_term,
        )
    )


def _rows(tensor: Tensor) -> Array:
    return _numpy(tensor.reshape(-1, tensor.shape[-1]))


def _numpy(tensor: Tensor) -> Array:
    array: Array = tensor.detach().cpu().double().numpy()
    return array
