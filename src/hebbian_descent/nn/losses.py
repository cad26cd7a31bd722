"""Losses as modules, in the manner of `torch.nn`."""

from __future__ import annotations

from torch import Tensor, nn

from hebbian_descent.nn import functional
from hebbian_descent.nn.activations import AnyActivation, get_torch_activation
from hebbian_descent.nn.functional import require_reduction
from hebbian_descent.rules.error_terms import difference, leaky_hinge, saturating


class _Loss(nn.Module):
    weight: Tensor | None

    def __init__(self, weight: Tensor | None, reduction: str) -> None:
        super().__init__()
        require_reduction(reduction)
        self.register_buffer("weight", weight)
        self.reduction = reduction


class MatchingLoss(_Loss):
    """The loss that Hebbian-descent minimises, of pre-activations: its gradient in a is h − t.

    `MatchingLoss("sigmoid")(model(x), t)` for a model that ends in a linear layer. See
    `functional.matching_loss` for targets, weights and reductions.

    Paper: eqn:gradient_descent_loss_implementing_Hebbian_descent
    """

    def __init__(
        self,
        activation: AnyActivation,
        *,
        weight: Tensor | None = None,
        reduction: str = "mean",
        ignore_index: int = -100,
        check_targets: bool = True,
        **parameters: float,
    ) -> None:
        super().__init__(weight, reduction)
        self.activation = get_torch_activation(activation, **parameters)
        self.activation.require_matching_loss()
        self.error_term = difference()
        self.ignore_index = ignore_index
        self.check_targets = check_targets

    def forward(self, preactivation: Tensor, targets: Tensor) -> Tensor:
        """Return the loss."""
        return functional.matching_loss(
            preactivation,
            targets,
            self.activation,
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            check_targets=self.check_targets,
        )

    def extra_repr(self) -> str:
        """Return the activation and the reduction."""
        return f"{self.activation}, reduction={self.reduction!r}"


class SmoothHuberLoss(_Loss):
    """(saturation/steepness)·ln cosh(steepness·(h − t)) of outputs, with the saturating error term.

    Use it after `hebbian(activation)`.

    Paper: fig:reg_loss_HD
    """

    def __init__(
        self,
        saturation: float = 1.0,
        steepness: float = 1.0,
        *,
        weight: Tensor | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, reduction)
        self.error_term = saturating(saturation, steepness)

    def forward(self, output: Tensor, targets: Tensor) -> Tensor:
        """Return the loss."""
        return functional.smooth_huber_loss(
            output, targets, **self.error_term.parameters, weight=self.weight, reduction=self.reduction
        )


class LeakyHingeLoss(_Loss):
    """1 − t·h while t·h < 1, then leak·(h − t), of outputs, with the hinge error term.

    Use it after `hebbian(activation)`, with targets of −1 and 1.

    Paper: tab:list_HD_loss_functions
    """

    def __init__(self, leak: float = 0.01, *, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)
        self.error_term = leaky_hinge(leak)

    def forward(self, output: Tensor, targets: Tensor) -> Tensor:
        """Return the loss."""
        return functional.leaky_hinge_loss(
            output, targets, **self.error_term.parameters, weight=self.weight, reduction=self.reduction
        )
