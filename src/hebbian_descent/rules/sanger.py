"""Sanger's rule: linear units that find the principal components in order."""

from __future__ import annotations

import numpy as np

from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Rule, mean_outer
from hebbian_descent.rules.oja import require_linear


def change(activity: Activity) -> Change:
    """Let each unit learn only what the units before it leave: Δwⱼ = η hⱼ (x̃ − Σ_{k≤j} hₖ wₖ).

    Linear units find the principal components of the centered inputs in order, each at length 1 (Sanger,
    1989). There is no bias to learn, and targets are ignored.
    """
    x, W, h = activity.inputs - activity.offset, activity.weights, activity.output
    return Change(weights=W @ np.triu(mean_outer(h, h)) - mean_outer(x, h))


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule("sanger", change, takes_error_term=False, takes_targets=False, title="Sanger's rule")


@made_once
def auto_rule() -> AutoRule:
    """Let each unit learn only what the units before it leave: Δwⱼ = η hⱼ (x̃ − Σ_{k≤j} hₖ wₖ), h = x̃W.

    Stopping the sum at unit j orders the units by variance. Oja's subspace rule sums over all units and does
    not order them; the two agree only for one unit, though the paper names Sanger for several.

    Paper: sec:HD_from_the_perspective_of_oja_sanger
    """

    def change(activity: AutoActivity) -> Change:
        network = activity.network
        require_linear(network, "sanger")
        W, x = network.weights, activity.inputs - network.offset
        h = x @ W
        before_and_own = np.triu(mean_outer(h, h))  # [k, j] with k ≤ j
        return Change(weights=W @ before_and_own - mean_outer(x, h))

    return AutoRule("sanger", change, takes_error_term=False)
