"""The state of a rule, kept with the layer that it trains.

A run that starts makes a fresh one, so nothing leaks from one run to the next. A run that resumes finds the
state where the last epoch left it: k epochs and then m more are k + m epochs, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbian_descent.learning.step import Network
from hebbian_descent.network import Layer
from hebbian_descent.rules import AutoRule, Rule
from hebbian_descent.rules.base import State

KEPT = "_state_of_rule"


class Kept(NamedTuple):
    """The state that a layer carries, and the rule that it belongs to."""

    rule: str
    arrays: State


def start_state(rule: Rule | AutoRule, network: Network) -> None:
    """Give a layer a fresh state, if its rule keeps one."""
    vars(network).pop(KEPT, None)
    if isinstance(rule, Rule) and rule.state is not None and isinstance(network, Layer):
        vars(network)[KEPT] = Kept(rule.name, rule.new_state(network))


def resumed_state(rule: Rule | AutoRule, network: Network) -> State | None:
    """Return the state with which a rule continues, to be changed in place; None if it has none."""
    if not isinstance(rule, Rule) or rule.state is None:
        return None
    kept: Kept | None = vars(network).get(KEPT)
    if kept is None or kept.rule != rule.name:
        had = "none" if kept is None else f"that of {kept.rule!r}"
        raise ValueError(
            f"The rule {rule.name!r} resumes with the state that its first epochs left in the network. Got "
            f"{had}: pass the very network that was trained, or start with first_epoch=0."
        )
    return kept.arrays


def state_of(layer: Layer) -> State:
    """Return copies of the state of the rule that trained a layer, by name; empty if it has none."""
    kept: Kept | None = vars(layer).get(KEPT)
    return {} if kept is None else {name: np.array(value) for name, value in kept.arrays.items()}
