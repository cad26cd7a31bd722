"""The parts of a memory, made from its settings: its network, and how it learns one pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, unknown_name
from hebbian_descent.learning.centering import (
    Centering,
    Offset,
    as_centering,
    as_start,
    offset_in_stream,
)
from hebbian_descent.learning.constraints import Constraint
from hebbian_descent.learning.noise import NoiseStream, refuse_noise_of_units
from hebbian_descent.learning.rates import Mask, as_rate
from hebbian_descent.learning.step import Network, Update
from hebbian_descent.learning.strength import Strength
from hebbian_descent.network import Activation, Autoencoder, Layer
from hebbian_descent.rules import AutoRule, Rule, get_auto_rule, get_error_term, get_rule
from hebbian_descent.rules.base import State

Auto: TypeAlias = Literal["layer", "autoencoder"] | None
Sizes: TypeAlias = tuple[int, int | None, int | None]
"""Inputs, outputs, hidden units."""


def new_network(
    sizes: Sizes,
    auto: Auto,
    activation: str | Activation,
    hidden_activation: str | Activation,
    *,
    offset: npt.ArrayLike,
    hidden_offset: npt.ArrayLike,
    seed: int,
) -> Layer | Autoencoder:
    """Return a layer or an auto-encoder with small random weights, as the sizes and `auto` require."""
    _check_sizes(sizes, auto)
    n_inputs, n_outputs, n_hidden = sizes
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    if auto == "autoencoder":
        assert n_hidden is not None
        return Autoencoder.create(
            n_inputs,
            n_hidden,
            hidden_activation=hidden_activation,
            output_activation=activation,
            offset=offset,
            hidden_offset=hidden_offset,
            rng=rng,
        )
    outputs = n_inputs if n_outputs is None else n_outputs
    return Layer.create(n_inputs, outputs, activation=activation, offset=offset, rng=rng)


def offset_in_memory(centering: Centering, shift: float, offset_start: float | None) -> Offset:
    """Return what the offset does; the only name that a memory accepts is "moving"."""
    if isinstance(centering, str) and centering not in ("moving", "mean"):
        raise unknown_name("centering of a memory, unless it is None or numbers,", centering, ["moving"])
    found = as_centering(centering)
    start = as_start(offset_start, found)
    shift = as_number(shift, "shift", at_least=0, at_most=1)
    return offset_in_stream(found, shift, start, learner="a memory")


def _check_sizes(sizes: Sizes, auto: Auto) -> None:
    n_inputs, n_outputs, n_hidden = sizes
    if auto not in (None, "layer", "autoencoder"):
        raise unknown_name("kind of auto-association", auto, ["layer", "autoencoder"])
    if auto is None and n_outputs is None:
        raise ValueError(
            "A memory of pairs needs the number of outputs. Got none: pass it as the second number, or "
            "choose auto='layer' or auto='autoencoder' for patterns that recall themselves."
        )
    if auto is not None and n_outputs not in (None, n_inputs):
        raise ValueError(
            f"An auto-associative memory has as many outputs as inputs, {n_inputs}. Got {n_outputs}."
        )
    if (auto == "autoencoder") != (n_hidden is not None):
        raise ValueError(
            f"auto='autoencoder' and n_hidden go together. Got auto={auto!r}, n_hidden={n_hidden}."
        )


@dataclass(frozen=True)
class Storing:
    """Settings with which a memory stores patterns; they hold nothing of the network."""

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
        """Raise if a target is not among the values that the error term expects."""
        self.update.error.check_targets(targets)

    def start(self, network: Network) -> State:
        """Apply the constraints to the weights of a new network, and return the state of the rule."""
        self.update.constrain(network.weights)
        is_layer = isinstance(self.rule, Rule) and isinstance(network, Layer)
        return self.rule.new_state(network) if is_layer else {}  # type: ignore[union-attr, arg-type]

    def learn(
        self,
        network: Network,
        x: Array,
        t: Array | None,
        n_seen: int,
        target_offset: Array | None,
        state: State | None = None,
        strength: Strength | None = None,
    ) -> None:
        """Update a network with one pattern, a matrix of one row, that is its `n_seen`-th, counted from 1."""
        step, shift = n_seen - 1, self.offset.shift_after(n_seen)
        if isinstance(network, Layer):
            assert t is not None
            self.update.layer(
                network,
                x,
                t,
                step=step,
                shift=shift,
                target_offset=target_offset,
                state=state,
                strength=strength,
            )
        else:
            hidden_shift = self.hidden.shift_after(n_seen)
            self.update.autoencoder(
                network, x, step=step, shift=shift, hidden_shift=hidden_shift, strength=strength
            )


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
    constraints: tuple[Constraint, ...] = (),
    noise: NoiseStream | None = None,
) -> Storing:
    """Check the settings of a memory, and put them together."""
    found = rule_of(network, rule, offset)
    update = Update(
        found,
        get_error_term(error),
        as_rate(learning_rate),
        weight_decay=as_number(weight_decay, "weight decay", at_least=0, at_most=2),
        connectivity=connectivity,
        constraints=constraints,
        noise=noise,
    )
    if noise is not None and isinstance(network, Autoencoder):
        refuse_noise_of_units(noise.noise)
    for part in (offset, hidden):
        as_number(part.shift, "shift", at_least=0, at_most=1)
    return Storing(update, offset, hidden)


def rule_of(network: Network, rule: Any, offset: Offset) -> Rule | AutoRule:
    """Return the rule for a network by name, and refuse one that needs more than one pattern at a time."""
    if isinstance(network, Autoencoder):
        return get_auto_rule(rule)
    found = get_rule(rule)
    if found.needs_data_mean and not offset.centers_targets(found):
        raise ValueError(
            f"A memory learns one pattern at a time. Got the rule {found.name!r}, which needs the means of "
            'all of them: use centering="moving" without offset_start, which learns the means as well.'
        )
    return found
