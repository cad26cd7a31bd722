"""The covariance rule: Hebb's rule for what exceeds the average activity."""

from __future__ import annotations

from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule


def factors(activity: Activity) -> Factors:
    """Add the product of the deviations from the mean: ΔW = η (x − ⟨x⟩)ᵀ(t − ⟨t⟩). There is no bias to learn.

    The means are those of all training patterns, whatever the network's own offset is. After a whole pass it
    equals Hebb's rule centered on the data mean; with weight decay it does not, since the decay weighs the
    patterns unequally.

    Paper: eqn:update_cov_sup_w
    """
    x, t = activity.inputs, activity.targets
    if activity.mean_input is None or activity.mean_target is None:
        raise ValueError(
            "The covariance rule needs the means of all training inputs and targets, which a batch does not "
            "tell. Train with Training.run, or pass means=(inputs.mean(axis=0), targets.mean(axis=0))."
        )
    return Factors(pre=x - activity.mean_input, post=-(t - activity.mean_target))


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule(
        "covariance",
        factors,
        learns_bias=False,
        needs_data_mean=True,
        looks_at_output=False,
        takes_error_term=False,
        compiled="deviation",
        title="Covariance rule",
    )
