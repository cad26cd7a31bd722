"""Learning rules: functions from what synapses see to two factors, or to a whole change.

Usually the outer product of two factors changes the weights. A rule that is no such product returns a
`Change`, and one that remembers something between patterns has a state, fresh for every run.

Every rule points uphill, as an error does: a parameter moves by −η times the change that its rule gives,
averaged over the batch. Learning rate, weight decay, constraints and moving offsets are not part of a rule;
they are written once, in `hebbian_descent.learning.step`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.network import Activation, Autoencoder, Layer
from hebbian_descent.network.autoencoder import Pass
from hebbian_descent.registry import Member

ErrorFunction = Callable[[Array, Array], Array]
"""(targets, output) → error, the signal that an output unit sends to its synapses."""

State = dict[str, Array]
"""What a rule remembers from one update to the next, by name; its function may change the arrays in place."""


NOTHING: Array = np.empty(0)


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
    weights: Array = NOTHING  # (n_inputs, n_outputs), read-only; given by training, memories and sweeps
    bias: Array = NOTHING  # (n_outputs,), read-only
    strength: Array | None = None  # (batch,), the third factor of each pattern, if there is one
    learning_rate: Any = None  # η, for rules that use it themselves


class Factors(NamedTuple):
    """The presynaptic and the postsynaptic factor of an update, one row per pattern."""

    pre: Array  # (batch, n_inputs)
    post: Array  # (batch, n_outputs)


class Change(NamedTuple):
    """The direction of one update, uphill; a bias of None does not learn."""

    weights: Array
    bias: Array | None = None
    decoder_bias: Array | None = None


@dataclass(frozen=True)
class Rule(Member):
    """A rule for a layer: its name, its function, and whether the bias learns.

    The function takes an `Activity` and returns `Factors`: the weights change along preᵀpost and the bias
    along post, both averaged over the batch. Any other rule returns a `Change`, the mean over the batch; its
    bias learns unless it is None. With a `state`, the function takes that as its second argument.
    """

    name: str
    factors: Callable[..., Any]
    """(activity) → `Factors` or `Change`; (activity, state) where there is a state."""
    learns_bias: bool = True
    needs_data_mean: bool = False
    """Whether the factors use the means over all training patterns, which a stream does not have."""
    looks_at_output: bool = True
    """Whether a factor depends on the output; otherwise one run determines what all runs learn."""
    pulls_back: bool = False
    """Whether errors are pulled back through the activation, so that its slope counts twice."""
    takes_error_term: bool = True
    """Whether the rule uses the error term."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    compiled: str | None = None
    title: str = ""
    """Display name; the name itself if empty."""
    moving_factors: Callable[..., Any] | None = None
    """The factors where the means are learned gradually; None if they are the same as elsewhere.

    `mean_input` is then the offset before the pattern, `mean_target` the mean target with the pattern.
    """
    state: Callable[[Layer], Mapping[str, Any]] | None = None
    """Makes the arrays, by name, with which a run of a layer starts; None for a rule without a state."""
    takes_targets: bool = True
    """Whether it learns from targets; otherwise they need not be given."""
    takes_strength: bool = False
    """Whether it uses the strength of patterns itself; otherwise each change is multiplied by it."""
    takes_rate: bool = False
    """Whether it needs η, as an implicit step does; its result is still multiplied by η."""
    constraint: Callable[[Array], Array | None] | None = None
    """Constraint on its synapses: weights → weights, applied at the start and after every update."""
    automatic_rate: float | None = None
    """The η that "auto" stands for, if it does not follow from the inputs."""

    def __post_init__(self) -> None:
        n_arguments = 1 if self.state is None else 2
        if not callable(self.factors) or not _takes(self.factors, n_arguments):
            wanted = "(activity)" if self.state is None else "(activity, state)"
            advice = "" if self.state is not None else ", or give it a state: Rule(…, state=…)"
            raise TypeError(
                f"The rule {self.name!r} must be made from a function of {wanted}. "
                f"Got {_signature(self.factors)}{advice}."
            )

    @property
    def why_plain_loop(self) -> str | None:
        """Why only the plain loop of `train`, memories and sweeps supports it, or None."""
        reasons = {
            "keeps a state": self.state is not None,
            "constrains the weights": self.constraint is not None,
            "takes no targets": not self.takes_targets,
            "uses the strength of patterns": self.takes_strength,
            "uses the learning rate itself": self.takes_rate,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def new_state(self, layer: Layer) -> State:
        """Return a fresh state for a layer, in new arrays; empty for a rule without a state."""
        made: Any = {} if self.state is None else self.state(layer)
        if not isinstance(made, Mapping) or not all(isinstance(name, str) for name in made):
            raise TypeError(
                f"The state of the rule {self.name!r} must be a dict of arrays by name, "
                f'such as {{"threshold": np.ones(layer.n_outputs)}}. Got {type(made).__name__}.'
            )
        return {name: self._state_array(name, value, layer) for name, value in made.items()}

    def _state_array(self, name: str, value: Any, layer: Layer) -> Array:
        """Return one array of a new state; integers become floats, which can change gradually."""
        array = np.array(value, order="C")
        if array.dtype.kind not in "biuf":
            raise TypeError(
                f"The state of the rule {self.name!r} must be arrays of real numbers. "
                f"Got {value!r} for {name!r}."
            )
        return array.astype(layer.weights.dtype) if array.dtype.kind in "iu" else array

    def change(self, activity: Activity, state: State | None = None) -> Change:
        """Return the direction of the update for a batch."""
        answer = self.answer(activity, state)
        if isinstance(answer, Change):
            return answer
        pre, post = answer
        return Change(weights=mean_outer(pre, post), bias=post.mean(axis=0) if self.learns_bias else None)

    def answer(
        self, activity: Activity, state: State | None = None, *, moving: bool = False
    ) -> Factors | Change:
        """Return what the rule's function returns, after checking that it fits the layer."""
        function = self.moving_factors if moving and self.moving_factors is not None else self.factors
        found: Any = function(activity) if self.state is None else function(activity, state)
        if isinstance(found, Change):
            return self._checked(found, activity)
        if isinstance(found, tuple) and len(found) == 2:
            pre, post = found
            if (getattr(pre, "shape", None), getattr(post, "shape", None)) == (
                activity.inputs.shape,
                activity.output.shape,
            ):
                return found if isinstance(found, Factors) else Factors(pre, post)
        got: Any = type(found).__name__
        if isinstance(found, tuple):
            got = tuple(getattr(factor, "shape", type(factor).__name__) for factor in found)
        raise ValueError(
            f"The rule {self.name!r} must return two factors, Factors(pre, post), of shapes "
            f"{activity.inputs.shape} and {activity.output.shape}: one row per pattern. Got {got}."
        )

    def checked_factors(self, activity: Activity, *, moving: bool = False) -> Factors:
        """Return the two factors, or say that this rule has none."""
        answer = self.answer(activity, moving=moving)
        if isinstance(answer, Change):
            raise ValueError(needs_plain_loop(self))
        return answer

    def _checked(self, change: Change, activity: Activity) -> Change:
        n_inputs, n_outputs = activity.inputs.shape[1], activity.output.shape[1]
        weights, bias = np.shape(change.weights), None if change.bias is None else np.shape(change.bias)
        if weights != (n_inputs, n_outputs) or bias not in (None, (n_outputs,)):
            raise ValueError(
                f"The rule {self.name!r} must return a change of the weights, shape {(n_inputs, n_outputs)}, "
                f"and of the bias, shape {(n_outputs,)} or None. Got {weights} and {bias}."
            )
        return change


def _takes(function: Callable[..., Any], n_arguments: int) -> bool:
    """Return whether a function can be called with this many arguments, as far as its signature tells."""
    try:
        signature(function).bind(*[None] * n_arguments)
    except TypeError:
        return False
    except ValueError:  # some functions in C have no signature
        return True
    return True


def _signature(function: Any) -> str:
    """Return a function as its name and arguments; anything else as it is."""
    if not callable(function):
        return repr(function)
    return f"{getattr(function, '__name__', type(function).__name__)}{signature(function)}"


def needs_plain_loop(rule: Rule) -> str:
    """Return why an estimator cannot use a rule, and what can."""
    what = rule.why_plain_loop or "returns a change that is not a product of two factors"
    return (
        f"An estimator learns from targets, by two factors only. Got the rule {rule.name!r}, which {what}: "
        "use train, AssociativeMemory or sweep."
    )


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
    pulls_back: bool = False
    """Whether errors are pulled back through the activations, so that their slopes count twice."""
    takes_error_term: bool = True
    """Whether the rule uses the error term."""
    has_free_phase: bool = False
    """Whether it also unlearns the network's response to its own reconstruction."""
    compiled: str | None = None


def mean_outer(pre: Array, post: Array) -> Array:
    """Return the outer product of two factors, averaged over the rows."""
    n = len(pre)
    # A matrix product with a single row takes three times as long, for the same numbers.
    return pre.T * post if n == 1 else pre.T @ post / n
