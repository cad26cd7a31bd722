"""What a learning rule is: two factors whose outer product changes the weights.

Every rule points downhill: a parameter moves by −η times the change that its rule gives, averaged over the
batch. Learning rate, weight decay and moving offsets are not the rule's business; they are written once, in
`hebbian_descent.learning.step`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hebbian_descent.checks import Array
from hebbian_descent.network import Activation, Autoencoder
from hebbian_descent.network.autoencoder import Pass
from hebbian_descent.registry import ADDED_LATER, Member

ErrorFunction = Callable[[Array, Array], Array]
"""(targets, output) → error, the signal that an output unit sends to its synapses."""


class Activity(NamedTuple):
    """What the synapses of a layer can see during one update."""

    inputs: Array  # (batch, n_inputs)
    offset: Array  # (n_inputs,)
    targets: Array  # (batch, n_outputs)
    preactivation: Array  # (batch, n_outputs)
    output: Array  # (batch, n_outputs)
    activation: Activation
    error: ErrorFunction
    mean_input: Array | None = None  # (n_inputs,), over all training patterns
    mean_target: Array | None = None  # (n_outputs,), over all training patterns


class Factors(NamedTuple):
    """The presynaptic and the postsynaptic factor of an update, one row per pattern."""

    pre: Array  # (batch, n_inputs)
    post: Array  # (batch, n_outputs)


class Change(NamedTuple):
    """The direction of one update, uphill; what is None does not learn."""

    weights: Array
    bias: Array | None = None
    decoder_bias: Array | None = None


@dataclass(frozen=True)
class Rule(Member):
    """A rule for a layer: its name, its two factors, and whether the bias learns.

    The weights change along preᵀpost and the bias along post, both averaged over the batch.
    """

    name: str
    factors: Callable[[Activity], Factors]
    learns_bias: bool = True
    needs_data_mean: bool = False
    """Whether the factors use the means over all training patterns, which a stream does not have."""
    looks_at_output: bool = field(default=True, metadata=ADDED_LATER)
    """Whether a factor depends on the output; otherwise what all runs learn follows from one of them."""
    pulls_back: bool = field(default=False, metadata=ADDED_LATER)
    """Whether errors are pulled back through the activation, so that its slope counts twice."""
    takes_error_term: bool = field(default=True, metadata=ADDED_LATER)
    """Whether the error term has a say."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    compiled: str | None = field(default=None, metadata=ADDED_LATER)
    title: str = field(default="", metadata=ADDED_LATER)
    """Display name; empty for the name itself."""
    moving_factors: Callable[[Activity], Factors] | None = field(default=None, metadata=ADDED_LATER)
    """The factors where the means are known only gradually; None if they are the same as elsewhere.

    `mean_input` is then the offset before the pattern, `mean_target` the mean target with the pattern.
    """

    def change(self, activity: Activity) -> Change:
        """Return the direction of the update for a batch."""
        pre, post = self.checked_factors(activity)
        return Change(weights=mean_outer(pre, post), bias=post.mean(axis=0) if self.learns_bias else None)

    def checked_factors(self, activity: Activity, *, moving: bool = False) -> Factors:
        """Return the factors if they fit the layer; the rule's function may be anyone's."""
        function = self.moving_factors if moving and self.moving_factors is not None else self.factors
        found: Any = function(activity)
        fitting = (activity.inputs.shape, activity.output.shape)
        got: Any = type(found).__name__
        if isinstance(found, tuple):
            got = tuple(getattr(factor, "shape", type(factor).__name__) for factor in found)
        if got != fitting:
            raise ValueError(
                f"The rule {self.name!r} must give two factors, Factors(pre, post), of shapes {fitting[0]} "
                f"and {fitting[1]}: one row per pattern. Got {got}."
            )
        return Factors(*found)


class AutoActivity(NamedTuple):
    """What an auto-associative rule can see during one update."""

    network: Autoencoder
    inputs: Array  # (batch, n_inputs)
    units: Pass
    error: ErrorFunction
    hidden_targets: Array | None = None  # (batch, n_hidden), where the hidden units have targets


@dataclass(frozen=True)
class AutoRule(Member):
    """A rule for an auto-encoder with tied weights."""

    name: str
    change: Callable[[AutoActivity], Change]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pulls_back: bool = field(default=False, metadata=ADDED_LATER)
    """Whether errors are pulled back through the activations, so that their slopes count twice."""
    takes_error_term: bool = field(default=True, metadata=ADDED_LATER)
    """Whether the error term has a say."""
    has_free_phase: bool = field(default=False, metadata=ADDED_LATER)
    """Whether it also unlearns what the network makes of its own reconstruction."""
    compiled: str | None = field(default=None, metadata=ADDED_LATER)


def mean_outer(pre: Array, post: Array) -> Array:
    """Return the outer product of two factors, averaged over the rows."""
    n = len(pre)
    return pre.T @ post / n
