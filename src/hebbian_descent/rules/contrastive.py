"""Contrastive learning: Hebb's rule for the data minus Hebb's rule for what the network believes."""

from __future__ import annotations

from hebbian_descent.checks import as_count
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Factors, Rule, mean_outer


def factors(activity: Activity) -> Factors:
    """Learn the target and unlearn the output, the input clamped in both phases: ΔW = η (x − μ)ᵀ(t − h).

    This is Hebbian-descent with the difference as error; it takes no other error term.

    Paper: sec:HD_contrastive_clamping
    """
    x, mu, t, h = activity.inputs, activity.offset, activity.targets, activity.output
    return Factors(pre=x - mu, post=h - t)


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule("contrastive", factors, takes_error_term=False, compiled="error", title="Contrastive rule")


@made_once
def auto_rule(steps: int = 1, clamp_hidden: bool = False) -> AutoRule:
    """Learn the data phase and unlearn the free phase of an undirected network, both by mean field.

    ΔW = η (x_D − μ)ᵀ(h_D − λ) − η (x_M − μ)ᵀ(h_M − λ), Δb = η (h_D − h_M), Δc = η (x_D − x_M).
    The free phase starts from the data and infers inputs and hidden units in turn, `steps` times. Where
    hidden targets are given, they are h_D. With `clamp_hidden` the hidden units keep h_D in the free phase;
    with one step that is auto-associative Hebbian-descent, which true CD-1 is not.

    Paper: eqn:Contrastive_learning_W
    """
    steps = as_count(steps, "steps of the free phase")

    def change(activity: AutoActivity) -> Change:
        network, x_data = activity.network, activity.inputs
        mu, lam = network.offset, network.hidden_offset
        inferred = activity.units.hidden
        h_data = inferred if activity.hidden_targets is None else activity.hidden_targets

        h_model = h_data if clamp_hidden else inferred
        for _ in range(steps):
            _, x_model = network.infer_inputs(h_model)
            if not clamp_hidden:
                _, h_model = network.infer_hidden(x_model)

        learned = mean_outer(x_data - mu, h_data - lam)
        unlearned = mean_outer(x_model - mu, h_model - lam)
        return Change(
            weights=unlearned - learned,
            bias=(h_model - h_data).mean(axis=0),
            decoder_bias=(x_model - x_data).mean(axis=0),
        )

    parameters = {"steps": steps, "clamp_hidden": clamp_hidden}
    return AutoRule("contrastive", change, parameters, takes_error_term=False, has_free_phase=True)
