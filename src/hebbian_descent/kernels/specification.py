"""What all runs of a sequence have in common, and what they leave behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.kernels.activations import ACTIVATIONS, Activation
from hebbian_descent.kernels.braces import Array


class Rule(NamedTuple):
    """What distinguishes one rule from another, pre = x − μ unless said otherwise."""

    learns_from_output: bool
    pulls_back: bool = False
    subtracts_means: bool = False  # pre = x − ⟨x⟩, post = −(t − ⟨t⟩)

    @property
    def learns_bias(self) -> bool:
        """Whether the bias changes too."""
        return self.learns_from_output


RULES: dict[str, Rule] = {
    "hebbian_descent": Rule(learns_from_output=True),
    "gradient_descent": Rule(learns_from_output=True, pulls_back=True),
    "hebb": Rule(learns_from_output=False),
    "covariance": Rule(learns_from_output=False, subtracts_means=True),
}


@dataclass(frozen=True, eq=False)
class OnlineLearning:
    """One pattern per step, the error h − t, biases that start at 0.

    Args:
        rule: One of `RULES`.
        activation: One of `ACTIVATIONS`.
        activation_parameters: By name; those left out have the defaults of the activation.
        offset: μ, one number or one per input; the start of a moving offset.
        shift: ν of a moving offset, 0 for a fixed one.
        weight_decay: ω, between 0 and 2.
        n_epochs: Passes over the patterns, in the same order.
        dtype: The precision of weights and activities, float64 or float32.
    """

    rule: str = "hebbian_descent"
    activation: str = "sigmoid"
    activation_parameters: Mapping[str, float] = field(default_factory=dict)
    offset: npt.ArrayLike = 0.0
    shift: float = 0.0
    weight_decay: float = 0.0
    n_epochs: int = 1
    dtype: npt.DTypeLike = np.float64

    def __post_init__(self) -> None:
        for name, options in (("rule", RULES), ("activation", ACTIVATIONS)):
            if (got := getattr(self, name)) not in options:
                raise ValueError(f"The {name} must be one of {', '.join(options)}. Got {got!r}.")
        if not 0 <= self.weight_decay <= 2:
            raise ValueError(f"The weight decay must be between 0 and 2. Got {self.weight_decay}.")
        if not 0 <= self.shift <= 1:
            raise ValueError(f"The shift of the offset must be between 0 and 1. Got {self.shift}.")
        if self.n_epochs < 1:
            raise ValueError(f"The number of epochs must be at least 1. Got {self.n_epochs}.")
        if np.dtype(self.dtype) not in (np.float64, np.float32):
            raise ValueError(f"The dtype must be float64 or float32. Got {np.dtype(self.dtype)}.")

    @property
    def kind(self) -> Activation:
        """The activation as kernels know it."""
        parameters = {name: float(value) for name, value in self.activation_parameters.items()}
        return ACTIVATIONS[self.activation](**parameters)

    @property
    def repeats_itself(self) -> bool:
        """Whether learning a pattern adds the same in every epoch: neither weights nor offsets drift."""
        return self.weight_decay == 0 and self.shift == 0


class SequenceResult(NamedTuple):
    """What the runs leave behind; the first two axes are learning rate and trial.

    A run diverges at the first step at which an activity exceeds 10⁶ in magnitude or is not a number.
    """

    errors: Array
    """Mean absolute error over the units, (n_rates, n_trials, n_evaluated); NaN for diverged runs."""
    diverged_at: npt.NDArray[np.int64]
    """The first diverged step, counted over all epochs, or −1."""
    outputs: dict[tuple[int, int], Array]
    """The outputs of the runs that were asked for, each (n_evaluated, n_outputs), by (rate, trial)."""

    @property
    def diverged(self) -> npt.NDArray[Any]:
        """Whether each run diverged, (n_rates, n_trials)."""
        return self.diverged_at >= 0
