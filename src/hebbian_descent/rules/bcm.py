"""The BCM rule: weak activity depresses synapses, strong activity potentiates them."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import as_number
from hebbian_descent.network import Layer
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule, State


@made_once
def rule(rate: float = 0.1) -> Rule:
    """Change sign where the output crosses a threshold that follows it: ΔW = η x̃ᵀ(h(h − θ)).

    θ ← θ + ν(h² − θ) after each update, starting at 1, so that no unit stays silent or saturated for long
    (Bienenstock, Cooper and Munro, 1982; this θ: Intrator and Cooper, 1992). Units become selective for
    some of the inputs. The threshold is the rule's state, and ν is its `rate`: θ has to move faster than the
    weights, so choose η well below ν. There is no bias to learn, and targets are ignored.
    """
    nu = as_number(rate, "rate of the threshold", above=0, at_most=1)

    def factors(activity: Activity, state: State) -> Factors:
        x, h, theta = activity.inputs - activity.offset, activity.output, state["threshold"]
        post = -h * (h - theta)
        theta += nu * ((h * h).mean(axis=0) - theta)
        return Factors(pre=x, post=post)

    return Rule(
        "bcm",
        factors,
        learns_bias=False,
        takes_error_term=False,
        takes_targets=False,
        parameters={"rate": nu},
        state=threshold_of_one,
        title="BCM rule",
    )


def threshold_of_one(layer: Layer) -> State:
    """Return the thresholds with which a run starts, one per output unit."""
    return {"threshold": np.ones_like(layer.bias)}
