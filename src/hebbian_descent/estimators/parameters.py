"""The parameters of estimators, checked and in their final form, and methods that only some of them have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from types import MethodType
from typing import Any

import numpy as np

from hebbian_descent.checks import as_count, as_flag, as_number, unknown_name
from hebbian_descent.engines.online import Loop, OnlineSetting, has_compiled_form, is_compiled, loop_of
from hebbian_descent.engines.sparse_online import sparse_loop_of
from hebbian_descent.estimators.epochs import Stopping, as_stopping
from hebbian_descent.lazy import cached_property
from hebbian_descent.learning.averaging import Average, as_average, averaging_in
from hebbian_descent.learning.centering import (
    Centering,
    Offset,
    as_centering,
    as_start,
    hidden_offset,
    offset_in_fit,
    offset_in_stream,
)
from hebbian_descent.learning.divergence import REPRESENTABLE
from hebbian_descent.learning.rates import Automatic, as_rate
from hebbian_descent.learning.scaling import Scaling, as_scaling
from hebbian_descent.learning.step import Update
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule, get_auto_rule, get_error_term, get_rule
from hebbian_descent.rules.base import needs_plain_loop

SPARSE = 0
"""Replaces the number of samples per pass if these are sparse."""
START_OPTIONS = ("zeros", "random")


@dataclass(frozen=True)
class Shared:
    """Parameters that layers and auto-encoders share."""

    activation: Activation
    error: ErrorTerm
    rate: float | Automatic
    weight_decay: float
    centering: Centering
    shift: float
    offset_start: float | None
    epochs: int
    batch_size: int
    shuffle: bool

    @property
    def learning_rate(self) -> float | None:
        """η, or None where it is automatic."""
        return None if isinstance(self.rate, Automatic) else self.rate

    @property
    def dtypes(self) -> tuple[type[np.floating[Any]], ...]:
        """Precisions that inputs may have.

        In single precision the mean of all inputs so far, of which each moves it by 1/n, stops moving.
        """
        is_endless = self.shift == 0 and isinstance(self.centering, str)
        return (np.float64,) if is_endless else (np.float64, np.float32)

    @cached_property
    def offset_in_fit(self) -> Offset:
        """What the offset does during `fit`."""
        return offset_in_fit(self.centering, self.shift, self.offset_start)

    @cached_property
    def offset_in_stream(self) -> Offset:
        """What the offset does during `partial_fit`."""
        return offset_in_stream(self.centering, self.shift, self.offset_start)

    @cached_property
    def why_no_stream(self) -> str | None:
        """Why `partial_fit` cannot work, or None."""
        rule: Any = getattr(self, "rule", None)
        try:
            offset = self.offset_in_stream
        except ValueError as error:
            return str(error)
        if isinstance(rule, Rule) and rule.needs_data_mean and not offset.centers_targets(rule):
            return (
                f"The rule {rule.name!r} needs the means of the whole data, which partial_fit does not have, "
                f"unless it learns them with a moving offset. Got centering={self.centering!r} and "
                f'offset_start={self.offset_start!r}: use centering="moving" with offset_start=None, or fit.'
            )
        return None


def why_no_stream(estimator: Any) -> str | None:
    """Return why an estimator has no `partial_fit`; the call itself reports wrong parameters."""
    try:
        reason: str | None = estimator._setting().why_no_stream
    except (TypeError, ValueError):
        return None
    return reason


def shared_parameters(estimator: Any) -> dict[str, Any]:
    """Check the parameters that all estimators have."""
    centering = as_centering(estimator.centering)
    return {
        "activation": get_activation(estimator.activation),
        "error": get_error_term(estimator.error),
        "rate": as_rate(estimator.learning_rate, estimator._purpose),
        "weight_decay": as_number(estimator.weight_decay, "weight_decay", at_least=0, at_most=2),
        "centering": centering,
        "shift": as_number(estimator.shift, "shift", at_least=0, at_most=1),
        "offset_start": as_start(estimator.offset_start, centering),
        "epochs": as_count(estimator.epochs, "number of epochs"),
        "batch_size": as_count(estimator.batch_size, "batch_size"),
        "shuffle": as_flag(estimator.shuffle, "shuffle"),
    }


def _two_factor_rule(rule: Any) -> Rule:
    found = get_rule(rule)
    if found.why_plain_loop is not None:
        raise ValueError(needs_plain_loop(found))
    return found


@dataclass(frozen=True)
class Parameters(Shared):
    """The parameters of a classifier or regressor."""

    rule: Rule
    scaling: Scaling
    average: Average
    initial_weights: str
    stopping: Stopping

    @classmethod
    def of(cls, estimator: Any) -> Parameters:
        """Check the parameters of an estimator."""
        return cls(
            rule=_two_factor_rule(estimator.rule),
            scaling=as_scaling(estimator.scaling),
            average=as_average(estimator.average),
            initial_weights=_start(estimator.initial_weights),
            stopping=as_stopping(estimator),
            **shared_parameters(estimator),
        )

    @cached_property
    def update(self) -> Update:
        """The update of a layer by one batch."""
        return Update(self.rule, self.error, self.rate, weight_decay=self.weight_decay, bound=REPRESENTABLE)

    @property
    def scales_inputs(self) -> bool:
        """Whether inputs are learned in units of their spread.

        The spread around given numbers, or around a start as in the paper, is not known; and rules that
        ignore the output have no step to equalise.
        """
        is_mean = self.centering is None or isinstance(self.centering, str)
        descends = self.rule.looks_at_output and not self.rule.needs_data_mean
        return self.scaling is not None and is_mean and self.offset_start is None and descends

    @property
    def needs_largest_target(self) -> bool:
        """Whether the automatic rate would depend on the target at hand.

        Gradient descent has the slope twice, and would hardly move with the square of the largest target.
        """
        is_automatic = isinstance(self.rate, Automatic)
        return is_automatic and self.activation.slope_is_output and not self.rule.pulls_back

    def for_targets_up_to(self, largest: float) -> Parameters:
        """Return the same for targets of at most this magnitude."""
        assert isinstance(self.rate, Automatic)
        known = self._for_targets
        if largest not in known:
            known[largest] = replace(self, rate=replace(self.rate, largest_target=largest))
        return known[largest]

    @cached_property
    def _for_targets(self) -> dict[float, Parameters]:
        return {}

    @cached_property
    def in_fit(self) -> OnlineSetting:
        """How every sample is learned in `fit`."""
        return self._online(self.offset_in_fit, stream=False)

    @cached_property
    def in_stream(self) -> OnlineSetting:
        """How every sample is learned in `partial_fit`."""
        return self._online(self.offset_in_stream, stream=True)

    def _online(self, offset: Offset, *, stream: bool) -> OnlineSetting:
        scale = None
        if self.scales_inputs:
            scale = offset if offset.takes_data_mean else Offset(shift=self.shift, starts_as_mean=True)
        return OnlineSetting(
            self.update, self.activation, offset, scale, averaging_in(self.average, stream=stream)
        )

    def loop(
        self, setting: OnlineSetting, n_inputs: int, dtype: np.dtype[Any], *, per_pass: int
    ) -> Loop | None:
        """Return the compiled loop for `in_fit` or `in_stream`, or None; see `engines.online.loop_of`."""
        known, key = self._loops, (setting is self.in_fit, n_inputs, dtype, per_pass)
        if key not in known:
            if not self.compiles(setting):
                known[key] = None
            elif per_pass == SPARSE:
                known[key] = sparse_loop_of(setting, n_inputs, dtype)
            else:
                known[key] = loop_of(setting, n_inputs, dtype, per_pass=per_pass)
        return known[key]

    def compiles(self, setting: OnlineSetting) -> bool:
        """Whether a single sample is learned, or refused, in one call that no interrupt can divide."""
        known, key = self._compiles, setting is self.in_fit
        if key not in known:
            known[key] = has_compiled_form(setting) and is_compiled()
        return known[key]

    @cached_property
    def _compiles(self) -> dict[bool, bool]:
        return {}

    @cached_property
    def _loops(self) -> dict[tuple[bool, int, np.dtype[Any], int], Loop | None]:
        return {}


@dataclass(frozen=True)
class AutoencoderParameters(Shared):
    """The parameters of an auto-encoder."""

    n_hidden: int | None
    rule: AutoRule
    hidden_activation: Activation
    hidden: Offset
    """What the offset of the hidden units does."""

    @classmethod
    def of(cls, estimator: Any) -> AutoencoderParameters:
        """Check the parameters of an estimator."""
        n_hidden, shared = estimator.n_hidden, shared_parameters(estimator)
        hidden_shift = as_number(estimator.hidden_shift, "hidden_shift", at_least=0, at_most=1)
        return cls(
            n_hidden=None if n_hidden is None else as_count(n_hidden, "number of hidden units"),
            rule=get_auto_rule(estimator.rule),
            hidden_activation=get_activation(estimator.hidden_activation),
            hidden=hidden_offset(shared["centering"], hidden_shift, shared["offset_start"]),
            **shared,
        )

    @cached_property
    def update(self) -> Update:
        """The update of an auto-encoder by one batch."""
        return Update(self.rule, self.error, self.rate, weight_decay=self.weight_decay, bound=REPRESENTABLE)


def _start(initial_weights: str) -> str:
    if initial_weights not in START_OPTIONS:
        raise unknown_name("initial_weights", initial_weights, START_OPTIONS)
    return initial_weights


Reason = Callable[[Any], str | None]
"""estimator → why a method is missing, or None."""


def available_unless(reason: Reason) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a method that is missing while there is a reason.

    `hasattr` is then False, as meta-estimators expect. scikit-learn's `available_if` does the same, but its
    message does not give the reason, which is lost where only the message is logged or shown.
    """
    return lambda method: _Method(method, reason)


class _Method:
    def __init__(self, method: Callable[..., Any], reason: Reason) -> None:
        self.method, self.reason = method, reason
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: type) -> Callable[..., Any]:
        if estimator is not None:
            self._check(estimator)
            return MethodType(self.method, estimator)

        @wraps(self.method)
        def unbound(estimator: Any, *arguments: Any, **named: Any) -> Any:
            self._check(estimator)
            return self.method(estimator, *arguments, **named)

        return unbound

    def _check(self, estimator: Any) -> None:
        if (reason := self.reason(estimator)) is not None:
            kind, name = type(estimator).__name__, self.method.__name__
            # With a name and no object, Python does not suggest some private method instead.
            raise AttributeError(f"This {kind!r} has no attribute {name!r}. {reason}", name=name)
