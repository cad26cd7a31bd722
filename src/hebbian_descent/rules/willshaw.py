"""Willshaw's rule: synapses that switch on, and never off again."""

from __future__ import annotations

from hebbian_descent.checks import Array
from hebbian_descent.registry import made_once
from hebbian_descent.rules.base import Activity, Factors, Rule


def factors(activity: Activity) -> Factors:
    """Switch a synapse on where input and target are active together: w ← max(w, [x > 0]·[t > 0]).

    All synapses are off at the start, whatever the layer's weights were. With η = 1, which "auto" stands for,
    one coincidence is enough; for a batch, use batch_size=1. It is meant for sparse patterns of 0 and 1
    without centering: a unit that belongs to the recalled pattern then sums to the number of active inputs
    (Willshaw, Buneman and Longuet-Higgins, 1969). There is no bias to learn.
    """
    x, t = activity.inputs, activity.targets
    return Factors(pre=(x > 0).astype(x.dtype), post=-(t > 0).astype(t.dtype))


def binary(weights: Array) -> None:
    """Make weights 1 where they are at least 1, else 0, in place."""
    weights[:] = weights >= 1


@made_once
def rule() -> Rule:
    """Return the rule for a layer."""
    return Rule(
        "willshaw",
        factors,
        learns_bias=False,
        takes_error_term=False,
        constraint=binary,
        automatic_rate=1.0,
        title="Willshaw's rule",
    )
