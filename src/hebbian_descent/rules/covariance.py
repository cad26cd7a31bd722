"""The covariance rule: Hebb's rule for what exceeds the average activity."""

from __future__ import annotations

from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule


def factors(activity: Activity) -> Factors:
    """Add the product of the deviations from the mean: ΔW = η (x − ⟨x⟩)ᵀ(t − ⟨t⟩). There is no bias to learn.

    The means are those of all training patterns, whatever the network's own offset is. After a whole pass it
    equals Hebb's rule centered on the data mean; with weight decay it does not, since the decay weighs the
    patterns unequally.

    In a stream the means are learned as well, μ and τ, and the change of the n-th pattern is

        ΔW = η (x − μₙ₋₁)ᵀ(t − τₙ),   μₙ = μₙ₋₁ + νₙ(x − μₙ₋₁),   τₙ = τₙ₋₁ + νₙ(t − τₙ₋₁),

    with the mean input before the pattern and the mean target with it. For νₙ = 1/n the sum is exactly
    η Σ (x − ⟨x⟩)ᵀ(t − ⟨t⟩) over all patterns so far (Welford's recurrence), and since Σ (x − ⟨x⟩) = 0 it is
    also Hebb's rule centered on their mean: in a stream the two rules are one. No simpler form is right.
    With ΔW = η (x − μₙ₋₁)ᵀt and a bias that takes up the moves of μ, a pattern s is read as (x − μₛ₋₁)·(xₛ −
    μₛ₋₁), with the offset at the time it was stored; the error of that offset stays in the bias as a
    constant, which an error would correct and a target does not. Without the bias, (x − μₙ)·(xₛ − μₛ₋₁), the
    mean target times Σ (xₛ − μₛ₋₁) remains, which is not zero and doubles the crosstalk.

    Paper: eqn:update_cov_sup_w
    """
    x, t = activity.inputs, activity.targets
    if activity.mean_input is None or activity.mean_target is None:
        raise ValueError(
            "The covariance rule needs the means of all training inputs and targets, which a batch cannot "
            "provide. Train with Training.run, or pass means=(inputs.mean(axis=0), targets.mean(axis=0))."
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
        moving_factors=factors,
    )
