"""How a memory learns one pattern: which update, and how its offsets follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_number
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.rates import Mask, as_rate
from hebbian_descent.learning.step import Network, Update
from hebbian_descent.network import Autoencoder, Layer
from hebbian_descent.rules import AutoRule, Rule, get_auto_rule, get_error_term, get_rule


@dataclass(frozen=True)
class Storing:
    """The settings with which a memory stores patterns; it holds nothing of the network."""

    update: Update
    offset: Offset
    hidden: Offset
    """What the hidden offset of an auto-encoder does."""

    @property
    def rule(self) -> Rule | AutoRule:
        """The learning rule."""
        return self.update.rule

    @property
    def centers_targets(self) -> bool:
        """Whether a running mean of the targets is learned, too."""
        return self.offset.centers_targets(self.rule)

    def check_targets(self, targets: Array) -> None:
        """Raise if a target is not among the values that the error term is made for."""
        self.update.error.check_targets(targets)

    def learn(
        self, network: Network, x: Array, t: Array | None, n_seen: int, target_offset: Array | None
    ) -> None:
        """Update a network with one pattern, a matrix of one row, that is its `n_seen`-th, counted from 1."""
        step, shift = n_seen - 1, self.offset.shift_after(n_seen)
        if isinstance(network, Layer):
            assert t is not None
            self.update.layer(network, x, t, step=step, shift=shift, target_offset=target_offset)
        else:
            hidden_shift = self.hidden.shift_after(n_seen)
            self.update.autoencoder(network, x, step=step, shift=shift, hidden_shift=hidden_shift)
        # A memory that cannot recall the pattern that it has just stored could store no other, either.
        self.update.stop_if_diverged(network, x, n_seen)


def storing(
    network: Network,
    *,
    rule: Any,
    error: Any,
    learning_rate: Any,
    weight_decay: Any,
    offset: Offset,
    hidden: Offset,
    connectivity: Mask | None,
) -> Storing:
    """Check the settings of a memory, and put them together."""
    found = rule_of(network, rule, offset)
    update = Update(
        found,
        get_error_term(error),
        as_rate(learning_rate),
        weight_decay=as_number(weight_decay, "weight decay", at_least=0, at_most=2),
        connectivity=connectivity,
    )
    for part in (offset, hidden):
        as_number(part.shift, "shift", at_least=0, at_most=1)
    return Storing(update, offset, hidden)


def rule_of(network: Network, rule: Any, offset: Offset) -> Rule | AutoRule:
    """Return the rule for a network by name, and refuse one that needs more than a pattern at a time."""
    if isinstance(network, Autoencoder):
        return get_auto_rule(rule)
    found = get_rule(rule)
    if found.needs_data_mean and not offset.centers_targets(found):
        raise ValueError(
            f"A memory learns one pattern at a time. Got the rule {found.name!r}, which needs the means of "
            'all of them: use centering="moving" without offset_start, which learns the means as well.'
        )
    return found


def as_connectivity(mask: npt.ArrayLike, network: Network) -> Mask:
    """Return a mask of the weights as True and False, in its own array."""
    given = np.array(mask)
    if given.shape != network.weights.shape:
        raise ValueError(
            f"The connectivity must have one entry for each weight, shape {network.weights.shape}. "
            f"Got shape {given.shape}."
        )
    if given.dtype != bool and not np.isin(given, (0, 1)).all():
        raise ValueError("The connectivity must be True or False for each weight. Got other values.")
    return given.astype(bool)
