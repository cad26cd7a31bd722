"""Losses as modules, in the manner of `torch.nn`."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from hebbian_descent.nn import functional
from hebbian_descent.nn.activations import AnyActivation, get_torch_activation
from hebbian_descent.nn.cross_entropies import require_cross_entropy
from hebbian_descent.nn.error_terms import AnyErrorTerm, get_torch_error_term
from hebbian_descent.nn.reductions import require_reduction
from hebbian_descent.nn.tensors import require_tensor
from hebbian_descent.rules.error_terms import ErrorTerm, leaky_hinge, saturating


class _Loss(nn.Module):
    weight: Tensor | None
    error_term: ErrorTerm

    def __init__(self, weight: Tensor | None, reduction: str, dim: int | None, check_targets: bool) -> None:
        super().__init__()
        require_reduction(reduction)
        if weight is not None:
            require_tensor(weight, "weight")
        self.register_buffer("weight", weight)
        self.reduction = reduction
        self.dim = dim
        self.check_targets = check_targets


class MatchingLoss(_Loss):
    """The loss that Hebbian-descent minimises, of pre-activations: its gradient in a is h − t.

    `MatchingLoss("sigmoid")(model(x), t)` for a model that ends in a linear layer. With another `error` its
    gradient is that error term. See `functional.matching_loss` for targets, weights, axes and reductions.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """

    pos_weight: Tensor | None

    def __init__(
        self,
        activation: AnyActivation,
        *,
        error: AnyErrorTerm = "difference",
        dim: int | None = -1,
        weight: Tensor | None = None,
        pos_weight: Tensor | None = None,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
        ignore_index: int = -100,
        check_targets: bool = True,
        **parameters: float,
    ) -> None:
        super().__init__(weight, reduction, dim, check_targets)
        self.activation = get_torch_activation(activation, **parameters)
        self.error = get_torch_error_term(error)
        self.error.require_loss(self.activation)
        require_cross_entropy(self.activation, self.error, label_smoothing, pos_weight)
        self.error_term = self.error.core
        self.register_buffer("pos_weight", pos_weight)
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index

    def forward(self, preactivation: Tensor, targets: Tensor) -> Tensor:
        """Return the loss."""
        return functional.matching_loss(
            preactivation,
            targets,
            self.activation,
            error=self.error,
            dim=self.dim,
            weight=self.weight,
            pos_weight=self.pos_weight,
            label_smoothing=self.label_smoothing,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            check_targets=self.check_targets,
        )

    def extra_repr(self) -> str:
        """Return the activation, the error term unless it is h − t, and the reduction."""
        error = "" if self.error.is_difference else f"error={self.error}, "
        return f"{self.activation}, {error}reduction={self.reduction!r}"


class _OutputLoss(_Loss):
    """A loss of outputs with the settings that all of them share."""

    def _settings(self) -> dict[str, Any]:
        return {
            **self.error_term.parameters,
            "dim": self.dim,
            "weight": self.weight,
            "reduction": self.reduction,
            "check_targets": self.check_targets,
        }


class SmoothHuberLoss(_OutputLoss):
    """(saturation/steepness)·ln cosh(steepness·(h − t)) of outputs, with the saturating error term.

    Use it after `hebbian(activation)`.

    Paper: fig:reg_loss_HD
    """

    def __init__(
        self,
        saturation: float = 1.0,
        steepness: float = 1.0,
        *,
        dim: int | None = -1,
        weight: Tensor | None = None,
        reduction: str = "mean",
        check_targets: bool = True,
    ) -> None:
        super().__init__(weight, reduction, dim, check_targets)
        self.error_term = saturating(saturation, steepness)

    def forward(self, output: Tensor, targets: Tensor) -> Tensor:
        """Return the loss."""
        return functional.smooth_huber_loss(output, targets, **self._settings())


class LeakyHingeLoss(_OutputLoss):
    """1 − t·h while t·h < 1, then leak·(h − t), of outputs, with the hinge error term.

    Use it after `hebbian(activation)`, with targets of −1 and 1.

    Paper: tab:list_HD_loss_functions
    """

    def __init__(
        self,
        leak: float = 0.01,
        *,
        dim: int | None = -1,
        weight: Tensor | None = None,
        reduction: str = "mean",
        check_targets: bool = True,
    ) -> None:
        super().__init__(weight, reduction, dim, check_targets)
        self.error_term = leaky_hinge(leak)

    def forward(self, output: Tensor, targets: Tensor) -> Tensor:
        """Return the loss."""
        return functional.leaky_hinge_loss(output, targets, **self._settings())
