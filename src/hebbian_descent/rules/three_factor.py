"""A three-factor rule: reward says whether what input and output did together was good."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import as_number
from hebbian_descent.network import Layer
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule, State


@made_once
def rule(rate: float = 0.1) -> Rule:
    """Reinforce what was unusual when reward was unusual: ΔW = η (R − R̄) x̃ᵀ(h − h̄), Δb = η (R − R̄)(h − h̄).

    R is the strength of the pattern, one number for all synapses; R̄ and h̄ are running means of reward and
    output, the rule's state, which follow by ν = max(`rate`, 1/n). The expected change is the covariance of
    reward and activity (Loewenstein and Seung, 2006; reviewed by Frémaux and Gerstner, 2016). It needs
    outputs that vary: give it `Noise(activity=…)`. Targets are ignored.
    """
    least = as_number(rate, "rate of the running means", above=0, at_most=1)

    def factors(activity: Activity, state: State) -> Factors:
        x, h, reward = activity.inputs - activity.offset, activity.output, activity.strength
        if reward is None:
            raise ValueError(
                "The rule 'three_factor' needs a reward for each pattern. Got none: pass strength=…"
            )
        state["n_seen"] += len(x)
        nu = np.maximum(least, len(x) / state["n_seen"])
        surprise = (reward - state["mean_reward"])[:, np.newaxis]
        post = -surprise * (h - state["mean_output"])
        state["mean_reward"] += nu * (reward.mean() - state["mean_reward"])
        state["mean_output"] += nu * (h.mean(axis=0) - state["mean_output"])
        return Factors(pre=x, post=post.astype(h.dtype, copy=False))

    return Rule(
        "three_factor",
        factors,
        takes_error_term=False,
        takes_targets=False,
        takes_strength=True,
        parameters={"rate": least},
        state=nothing_seen,
        title="Three-factor rule",
    )


def nothing_seen(layer: Layer) -> State:
    """Return running means before the first pattern."""
    return {"n_seen": np.zeros(()), "mean_reward": np.zeros(()), "mean_output": np.zeros_like(layer.bias)}
