"""What a classifier or regressor was told, checked and in its final form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hebbian_descent.checks import Array, as_count, as_flag, as_number, unknown_name
from hebbian_descent.estimators.centering import Centering, Offset, checked
from hebbian_descent.estimators.learning_rate import fixed_rate, kappa, largest_slope
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import ErrorTerm, Rule, get_error_term, get_rule

START_OPTIONS = ("zeros", "random")

Compiled = tuple[Callable[..., int], int, Array]
"""A loop over samples, the address of the activation's response, and the numbers of a step."""


@dataclass(frozen=True)
class Setting:
    """How a layer learns."""

    rule: Rule
    activation: Activation
    error: ErrorTerm
    learning_rate: float | None
    """η, or None where it is automatic."""
    weight_decay: float
    centering: Centering
    shift: float
    epochs: int
    batch_size: int
    shuffle: bool
    initial_weights: str
    task: str

    @classmethod
    def of(cls, estimator: Any) -> Setting:
        """Check the parameters of an estimator."""
        return cls(
            rule=get_rule(estimator.rule),
            activation=get_activation(estimator.activation),
            error=get_error_term(estimator.error),
            learning_rate=fixed_rate(estimator.learning_rate),
            weight_decay=as_number(estimator.weight_decay, "weight_decay", at_least=0, at_most=2),
            centering=checked(estimator.centering),
            shift=as_number(estimator.shift, "shift", at_least=0, at_most=1),
            epochs=as_count(estimator.epochs, "number of epochs"),
            batch_size=as_count(estimator.batch_size, "batch_size"),
            shuffle=as_flag(estimator.shuffle, "shuffle"),
            initial_weights=_start(estimator.initial_weights),
            task=estimator._task,
        )

    @property
    def kappa(self) -> float:
        """κ of an automatic learning rate."""
        return kappa(self.task, self.activation)

    @cached_property
    def is_compiled(self) -> bool:
        """Whether all parts have a compiled form; otherwise the plain loop runs."""
        members = [self.rule, self.activation, *([self.error] if self.rule.takes_error_term else [])]
        return not self.rule.needs_data_mean and all(member.compiled_form is not None for member in members)

    @property
    def shows_one_by_one(self) -> bool:
        """Whether `fit` takes the compiled loop, none of whose rules asks for means."""
        return self.is_compiled and self.batch_size == 1

    def compiled(self, offset: Offset, dtype: np.dtype[Any], *, in_pairs: bool) -> Compiled:
        """Return the compiled loop, and what it is told of the activation, the rule and the steps.

        In pairs it is faster, but a sample has other bits than alone.
        """
        known = self._compiled
        if (offset, dtype, in_pairs) not in known:
            known[offset, dtype, in_pairs] = self._loop(offset, dtype, in_pairs)
        return known[offset, dtype, in_pairs]

    @cached_property
    def _compiled(self) -> dict[tuple[Offset, np.dtype[Any], bool], Compiled]:
        return {}

    def _loop(self, offset: Offset, dtype: np.dtype[Any], in_pairs: bool) -> Compiled:
        from hebbian_descent.kernels.activations import ACTIVATIONS
        from hebbian_descent.kernels.errors import ErrorTerm, error_term
        from hebbian_descent.kernels.online import learn_online
        from hebbian_descent.kernels.online_pairs import learn_in_pairs
        from hebbian_descent.kernels.responses import Steps, address_of_response, as_numbers

        steps = Steps(
            learns_from_output=self.rule.looks_at_output,
            pulls_back=self.rule.pulls_back,
            learning_rate=self.kappa if self.learning_rate is None else self.learning_rate,
            largest_slope=largest_slope(self.activation) if self.learning_rate is None else 0.0,
            weight_decay=self.weight_decay,
            shift=offset.shift,
            starts_as_mean=offset.starts_as_mean,
        )
        error = (
            error_term(self.error.compiled_form or "", self.error.parameters)
            if self.rule.takes_error_term
            else ErrorTerm()
        )
        kind = ACTIVATIONS[self.activation.compiled_form or ""](**self.activation.parameters)
        loop = learn_in_pairs if in_pairs else learn_online
        return loop, address_of_response(kind, dtype), as_numbers(steps, error)


def _start(initial_weights: str) -> str:
    if initial_weights not in START_OPTIONS:
        raise unknown_name("initial_weights", initial_weights, START_OPTIONS)
    return initial_weights
