"""Hebbian-descent: the error of the output, times the centered input."""

from __future__ import annotations

import numpy.typing as npt

from hebbian_descent.network.layer import unit_values
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, AutoActivity, AutoRule, Change, Factors, Rule, mean_outer


def factors(activity: Activity) -> Factors:
    """Learn what is still missing: ΔW = −η (x − μ)ᵀ E(t, h), Δb = −η E(t, h).

    It is gradient descent without the derivative of the activation, so it keeps learning where a unit is
    saturated. With the difference h − t as error it is Hebb's rule for the target minus Hebb's rule for the
    output, and gradient descent on the matching loss of the activation.

    Paper: eqn:update_general_hebbian_descent_sup_w_1
    """
    x, mu, t, h = activity.inputs, activity.offset, activity.targets, activity.output
    return Factors(pre=x - mu, post=activity.error(t, h))


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule("hebbian_descent", factors, compiled="error", title="Hebbian-descent")


@made_once
def auto_rule(target_activity: npt.ArrayLike | None = None) -> AutoRule:
    """Learn to reconstruct, as if the hidden activity were given: ΔW = −η E(x, z)ᵀ(h − λ), Δc = −η E(x, z).

    The encoder bias stays, unless the hidden units are to have a mean activity of `target_activity`: then
    Δb = −η (h − λ̃). It is not the gradient of any function, but converges nonetheless.

    Paper: eqn:update_auto_hebbian_descent_unsup_w_1
    """

    def change(activity: AutoActivity) -> Change:
        network, x = activity.network, activity.inputs
        h, z, lam = activity.units.hidden, activity.units.reconstruction, network.hidden_offset
        E = activity.error(x, z)
        bias = None
        if target_activity is not None:
            level = unit_values(target_activity, "target activity", network.n_hidden, h.dtype)
            bias = (h - level).mean(axis=0)
        return Change(weights=mean_outer(E, h - lam), bias=bias, decoder_bias=E.mean(axis=0))

    parameters = {} if target_activity is None else {"target_activity": target_activity}
    compiled = "decoder" if target_activity is None else None
    return AutoRule("hebbian_descent", change, parameters, compiled=compiled)
