"""Oja's rule: linear units that find the principal subspace of their input."""

from __future__ import annotations

from hebbian_descent.network import Autoencoder
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Rule, mean_outer


def change(activity: Activity) -> Change:
    """Add the product of input and output, less what the output predicts: ΔW = η (x̃ − hWᵀ)ᵀh.

    Linear units find the principal subspace of the centered inputs (Oja, 1982, 1989); one unit finds the
    first principal component, at length 1. There is no bias to learn, and targets are ignored.
    """
    x, W, h = activity.inputs - activity.offset, activity.weights, activity.output
    return Change(weights=W @ mean_outer(h, h) - mean_outer(x, h))


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule("oja", change, takes_error_term=False, takes_targets=False, title="Oja's rule")


@made_once
def auto_rule() -> AutoRule:
    """Add the product of input and output, less what the output predicts: ΔW = η (x̃ − hWᵀ)ᵀh, h = x̃W.

    For one unit it is Oja's rule and finds the first principal component; for several it is his subspace
    rule, which finds the space they span but not their axes.

    Paper: sec:HD_from_the_perspective_of_oja_sanger
    """

    def change(activity: AutoActivity) -> Change:
        network = activity.network
        require_linear(network, "oja")
        W, x = network.weights, activity.inputs - network.offset
        h = x @ W
        return Change(weights=mean_outer(h @ W.T - x, h))

    return AutoRule("oja", change, takes_error_term=False)


def require_linear(network: Autoencoder, rule: str) -> None:
    """Refuse units that are not linear, for which the rule is not defined."""
    names = {network.hidden_activation.name, network.output_activation.name}
    if names != {"linear"}:
        raise ValueError(
            f"The rule {rule!r} needs linear hidden and output units. Got {', '.join(sorted(names))}: "
            "use hebbian_descent, which is its version for other activations."
        )
