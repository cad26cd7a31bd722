"""Hebb's rule: what fires together wires together."""

from __future__ import annotations

from hebbian_descent.registry import made_once
from hebbian_descent.rules import covariance
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Factors, Rule, mean_outer


def factors(activity: Activity) -> Factors:
    """Add the product of input and target: ΔW = η (x − μ)ᵀt. There is no bias to learn.

    What the network already knows is added again, so the weights grow with every pattern. Where μ moves, the
    targets are centered as well: see `covariance.factors`.

    Paper: eqn:update_hebb_sup_w
    """
    x, mu, t = activity.inputs, activity.offset, activity.targets
    return Factors(pre=x - mu, post=-t)


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule(
        "hebb",
        factors,
        learns_bias=False,
        looks_at_output=False,
        takes_error_term=False,
        compiled="target",
        title="Hebb's rule",
        moving_factors=covariance.factors,
    )


@made_once
def auto_rule() -> AutoRule:
    """Add the product of input and hidden activity: ΔW = η (x − μ)ᵀ(h − λ). No bias learns.

    Paper: sec:HD_auto_associative_experiments
    """

    def change(activity: AutoActivity) -> Change:
        network, x, h = activity.network, activity.inputs, activity.units.hidden
        mu, lam = network.offset, network.hidden_offset
        return Change(weights=-mean_outer(x - mu, h - lam))

    return AutoRule("hebb", change, takes_error_term=False, compiled="imprint")
