"""The automatic learning rate: as large as the pattern at hand allows.

    η = κ / (L·(‖x̃‖² + 1)),   x̃ = x − μ

One update moves the preactivation of its own pattern by −η(‖x̃‖² + 1) times the error; the 1 is the bias. The
matching loss of the pattern is convex in the preactivation and curved by L at most, the largest slope of the
activation. So κ = 1 can remove the whole error, and for κ up to 2 no step increases the loss of its own
pattern. The rate depends only on the pattern that is learned, so it suits a stream as well as a dataset.
Details:

- Errors that are pulled back through the activation meet its slope twice: L² replaces L.
- Where synapses are missing, each unit has its own rate: ‖x̃‖² is summed over its own inputs.
- The tied synapses of an auto-encoder see inputs on one side and hidden units on the other: ‖x̃‖² + ‖h̃‖² + 1.
- Contrastive learning also unlearns the network's response to its own reconstruction: there the larger of the
  two phases counts, since with linear hidden units it grows with the fifth power of the weights.
- The patterns of a batch share a step, which may be longer the less they have in common: ‖G‖/n replaces
  ‖x̃‖² + 1, where G holds the products x̃ᵢ·x̃ⱼ + 1 of all pairs. Its norm is at least its largest eigenvalue, so
  the guarantee holds for the mean loss of the batch.

κ was chosen by measurement (docs/estimators/learning_rate.md) for three purposes. To remember pairs that are
seen once, nearly the whole error must go at once. To classify, where many examples of a class are averaged,
that would forget earlier examples. To regress, where targets are noisy and the layer is averaged, half of
the error is enough.

Some activations have no largest slope. At a jump (step, approximate step), and for an activation that does
not state its slope, L is 1. The slope of an exponential unit is its output: there L is the largest of 1, the
outputs and the magnitudes of the targets of the pattern. Large counts are then learned by shorter steps than
small ones, which does not harm a memory; but the average of noisy counts comes out too small, by a fifth for
a rate of 3. A regressor therefore passes the `largest_target` of all, so that L depends on the output alone:
whatever their length, the steps then cancel where the output is the mean of the targets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_number, unknown_name
from hebbian_descent.network import Activation, Autoencoder
from hebbian_descent.network.autoencoder import Pass
from hebbian_descent.rules import AutoRule, Rule

Mask = npt.NDArray[np.bool_]

KAPPAS: dict[str, dict[str, float]] = {
    "remember": {
        "others": 1.0,
        **dict.fromkeys(("sigmoid", "step", "softplus", "exponential"), 2.0),
        "softsign": 1.4,
    },
    "classify": {
        "others": 0.5,
        **dict.fromkeys(("linear", "explin", "scaled_explin", "inverse_sqrt_linear"), 0.125),
        **dict.fromkeys(("scaled_tanh", "inverse_sqrt", "softsign"), 0.125),
        **dict.fromkeys(("rectifier", "leaky_rectifier"), 0.25),
        "approximate_step": 0.0625,
    },
    "regress": {"others": 0.5, "exponential": 2.0},
}
"""κ by purpose and activation; custom activations count as others."""


class Rates(NamedTuple):
    """The rates of one update of an auto-encoder, in shapes that broadcast against its arrays."""

    weights: float | Array
    bias: float | Array
    decoder_bias: float | Array


@dataclass(frozen=True)
class Automatic:
    """A learning rate that is computed for each update; `purpose` is "remember", "classify" or "regress"."""

    purpose: str = "remember"
    largest_target: float = 0.0
    """Known upper bound on the magnitudes of targets, or 0."""

    def __post_init__(self) -> None:
        if self.purpose not in KAPPAS:
            raise unknown_name("purpose of an automatic learning rate", self.purpose, KAPPAS)
        largest = as_number(self.largest_target, "largest target", at_least=0)
        object.__setattr__(self, "largest_target", largest)

    @property
    def name(self) -> str:
        """What stands for it in results and files, and is read by `as_rate`."""
        if self == Automatic():
            return "auto"
        bound = f", targets up to {self.largest_target!r}" if self.largest_target else ""
        return f"auto ({self.purpose}{bound})"

    def __str__(self) -> str:
        return self.name

    def kappa(self, activation: Activation) -> float:
        """Return κ for units of this activation."""
        table = KAPPAS[self.purpose]
        return table.get(activation.name, table["others"]) if activation.is_built_in else table["others"]

    def least_slope(self, activation: Activation) -> float:
        """Return L, or its lower bound where it grows with outputs and targets."""
        slope = finite_slope(activation)
        return max(slope, self.largest_target) if activation.slope_is_output else slope

    def of_layer(
        self,
        rule: Rule,
        activation: Activation,
        *,
        pre: Array,
        output: Array,
        targets: Array,
        shares: Array | None = None,
        connectivity: Mask | None = None,
    ) -> float | Array:
        """Return η for a batch, or one η per unit where synapses are missing; `pre` is a rule's factor.

        `shares` are those of the patterns in the batch, 1 on average.
        """
        kappa = self.kappa(activation)
        slope = slope_at(activation, rule, output, targets, least=self.least_slope(activation))
        if connectivity is None:
            return kappa / (slope * extent(pre, shares=shares))
        per_unit: Array = kappa / (slope * extents_of_units(pre, connectivity))
        return per_unit

    def of_autoencoder(
        self,
        rule: AutoRule,
        network: Autoencoder,
        *,
        inputs: Array,
        units: Pass,
        shares: Array | None = None,
        connectivity: Mask | None = None,
    ) -> Rates:
        """Return η for a batch; where synapses are missing, one per output unit.

        An output unit sees the hidden units that it is connected to. A step of its weights also changes the
        hidden activity, by as much as the hidden unit with the most input allows.
        """
        activation = network.output_activation
        kappa, least = self.kappa(activation), self.least_slope(activation)
        slope = slope_at(activation, rule, units.reconstruction, inputs, least=least)
        phases = [(inputs, units.hidden)]
        if rule.has_free_phase:
            phases.append((units.reconstruction, network.infer_hidden(units.reconstruction)[1]))
        centered = [(x - network.offset, h - network.hidden_offset) for x, h in phases]
        if connectivity is None:
            eta = kappa / (slope * max(extent(x, h, shares=shares) for x, h in centered))
            return Rates(eta, eta, eta)
        sizes: list[Array] = [
            extents_of_units(x, connectivity).max() - 1 + extents_of_units(h, connectivity.T)
            for x, h in centered
        ]
        per_output: Array = kappa / (slope * np.maximum.reduce(sizes))
        return Rates(per_output[:, np.newaxis], per_output.min(), per_output)


NAME = re.compile(r"auto \((\w+)(?:, targets up to (\S+))?\)")


def as_rate(learning_rate: object, purpose: str = "remember") -> float | Automatic:
    """Return a fixed η as a number, or the policy that "auto" or its name stands for."""
    if isinstance(learning_rate, Automatic):
        return learning_rate
    if isinstance(learning_rate, str):
        if learning_rate == "auto":
            return Automatic(purpose)
        if not (named := NAME.fullmatch(learning_rate)):
            raise ValueError(f'The learning_rate must be a number or "auto". Got {learning_rate!r}.')
        return Automatic(named[1], as_number(float(named[2] or 0), "largest target"))
    return as_number(learning_rate, "learning rate", at_least=0)


def as_saved(rate: float | Automatic) -> float | str:
    """Return a rate as files and keys of results hold it; `as_rate` reads it."""
    return rate.name if isinstance(rate, Automatic) else rate


def finite_slope(activation: Activation) -> float:
    """Return L, or 1 by the convention above where there is none."""
    return activation.largest_slope if isfinite(activation.largest_slope) else 1.0


def slope_at(
    activation: Activation, rule: Rule | AutoRule, output: Array, targets: Array, *, least: float = 0.0
) -> float:
    """Return the bound for a batch, the same for all batches unless the slope is the output."""
    slope = max(finite_slope(activation), least)
    if activation.slope_is_output:
        slope = max(slope, float(output.max()), float(np.abs(targets).max()))
    return slope * slope if rule.pulls_back else slope


def extent(*presynaptic: Array, shares: Array | None = None) -> float:
    """Return ‖x̃‖² + 1 for one pattern and ‖G‖/n for n of them; several factors count as one long one."""
    n = len(presynaptic[0])
    factors = np.column_stack([*presynaptic, np.ones(n, presynaptic[0].dtype)])
    if shares is not None:
        factors *= np.sqrt(shares)[:, np.newaxis]
    # Products of patterns or of inputs, whichever are fewer: both matrices have the same norm.
    gram = factors @ factors.T if n <= factors.shape[1] else factors.T @ factors
    return float(np.linalg.norm(gram)) / n


def extents_of_units(presynaptic: Array, connectivity: Mask) -> Array:
    """Return the extent that each unit sees through the inputs it is connected to, (n_units,)."""
    x = presynaptic
    if len(x) == 1:
        extents: Array = (x * x)[0] @ connectivity + 1
        return extents
    return np.array([extent(x * seen) for seen in connectivity.T])
