"""Learning from one pattern at a time: its own step, synapses that are not there, offsets that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_number
from hebbian_descent.learning.run import DivergenceError, Training
from hebbian_descent.memory.rates import learning_rate_of, offset_rate
from hebbian_descent.network import Autoencoder, Layer
from hebbian_descent.rules import get_auto_rule, get_error_term, get_rule

HIDDEN_OFFSET_START = 0.5
ANY_RATE = 1.0  # stands where the rate is made anew for each pattern

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class OnlineLearning:
    """The settings of learning pattern by pattern; it holds nothing of the network."""

    training: Training
    """Rule, error term and decay, without shifts; its learning rate counts unless `automatic`."""
    automatic: bool
    centered: bool
    """Whether the hidden offset of an auto-encoder follows.

    By the same shift as the inputs: the paper's 0.01 is meant for batches of 100, and too slow for one pass.
    """
    moving: bool
    """Whether the input offset follows."""
    shift: float
    running_mean: bool
    connectivity: Mask | None

    def __post_init__(self) -> None:
        as_number(self.shift, "shift", at_least=0, at_most=1)

    def check_targets(self, targets: Array) -> None:
        """Raise if a target is not among the values that the error term is made for."""
        get_error_term(self.training.error).check_targets(targets)

    def learn(self, network: Layer | Autoencoder, x: Array, t: Array | None, n_seen: int) -> None:
        """Update a network with one pattern, a matrix of one row, that is its `n_seen`-th, counted from 1."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # an update that diverges says so itself
                self._learn(network, x, t, n_seen)
        except DivergenceError as error:
            if not self.automatic:
                raise
            # The rate of one pattern says nothing to a user who did not choose it.
            step, _, *rest = error.__reduce__()[1]
            raise DivergenceError(step, None, *rest) from None

    def _learn(self, network: Layer | Autoencoder, x: Array, t: Array | None, n_seen: int) -> None:
        training = self.training
        if self.automatic:
            rate = self.learning_rate(network, x, t)
            if not np.isfinite(rate):
                raise DivergenceError(n_seen - 1, None, largest_input=float(np.abs(x).max()))
            training = replace(training, learning_rate=rate)
        hidden = network.infer_hidden(x)[1] if isinstance(network, Autoencoder) else None
        training.batch(network, x, t, step=n_seen - 1)
        # Before the offset moves, since the bias makes up for it by way of the weights that are there.
        if self.connectivity is not None:
            network.weights *= self.connectivity
        if self.moving:
            network.shift_offset(x, offset_rate(n_seen, self.shift, running_mean=self.running_mean))
        if self.centered and isinstance(network, Autoencoder) and hidden is not None:
            network.shift_hidden_offset(hidden, self.shift)
        # A memory that cannot recall the pattern that it has just stored could store no other, either.
        training.stop_if_diverged(network, x, n_seen)

    def learning_rate(self, network: Layer | Autoencoder, x: Array, t: Array | None) -> float:
        """Return the step for one pattern.

        The tied synapses of an auto-encoder see the input on one side and the hidden units on the other, and
        both count; with the hidden units alone, which hardly differ from their mean, steps are far too long.
        """
        if isinstance(network, Layer):
            assert t is not None
            pre, activation, output = x - network.offset, network.activation, network.forward(x)[1]
        else:
            units = network.forward(x)
            pre = np.concatenate([x - network.offset, units.hidden - network.hidden_offset], axis=1)
            activation = network.output_activation
            t, output = x, units.reconstruction
        pulled_back = rule_of(network, self.training.rule).pulls_back
        return learning_rate_of(pre, activation, targets=t, output=output, pulled_back=pulled_back)


def training_without_shifts(
    network: Layer | Autoencoder, rule: Any, error: Any, learning_rate: Any, weight_decay: Any
) -> Training:
    """Return what learning has in common with other training; "auto" leaves the rate open."""
    return Training(
        rule=rule_of(network, rule),
        error=error,
        learning_rate=ANY_RATE if learning_rate == "auto" else learning_rate,
        weight_decay=weight_decay,
        shift=0.0,
        hidden_shift=0.0,
    )


def rule_of(network: Layer | Autoencoder, rule: Any) -> Any:
    """Return the rule for a network by name, and refuse one that needs more than a pattern at a time."""
    if isinstance(network, Autoencoder):
        return get_auto_rule(rule)
    found = get_rule(rule)
    if found.needs_data_mean:
        raise ValueError(
            f"A memory learns one pattern at a time. Got the rule {found.name!r}, which needs the means of "
            "all of them: use 'hebb' with centering, which is the same after a whole pass."
        )
    return found


def as_connectivity(mask: npt.ArrayLike, network: Layer | Autoencoder) -> Mask:
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
