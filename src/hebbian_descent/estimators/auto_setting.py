"""What an auto-encoder was told, checked and in its final form, and how it learns a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbian_descent.checks import Array, as_count, as_flag, as_number
from hebbian_descent.estimators.centering import Centering, Offset, checked
from hebbian_descent.estimators.learning_rate import automatic_rate, fixed_rate, kappa, slope_at
from hebbian_descent.estimators.online_pass import diverges, limit_of
from hebbian_descent.learning.run import DivergenceError
from hebbian_descent.network import Activation, Autoencoder, get_activation
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules import AutoActivity, AutoRule, ErrorTerm, get_auto_rule, get_error_term


@dataclass(frozen=True)
class AutoSetting:
    """How an auto-encoder learns."""

    n_hidden: int | None
    rule: AutoRule
    hidden_activation: Activation
    activation: Activation
    error: ErrorTerm
    learning_rate: float | None
    weight_decay: float
    centering: Centering
    shift: float
    hidden_shift: float
    epochs: int
    batch_size: int
    shuffle: bool

    @classmethod
    def of(cls, estimator: Any) -> AutoSetting:
        """Check the parameters of an estimator."""
        n_hidden = estimator.n_hidden
        return cls(
            n_hidden=None if n_hidden is None else as_count(n_hidden, "number of hidden units"),
            rule=get_auto_rule(estimator.rule),
            hidden_activation=get_activation(estimator.hidden_activation),
            activation=get_activation(estimator.activation),
            error=get_error_term(estimator.error),
            learning_rate=fixed_rate(estimator.learning_rate),
            weight_decay=as_number(estimator.weight_decay, "weight_decay", at_least=0, at_most=2),
            centering=checked(estimator.centering),
            shift=as_number(estimator.shift, "shift", at_least=0, at_most=1),
            hidden_shift=as_number(estimator.hidden_shift, "hidden_shift", at_least=0, at_most=1),
            epochs=as_count(estimator.epochs, "number of epochs"),
            batch_size=as_count(estimator.batch_size, "batch_size"),
            shuffle=as_flag(estimator.shuffle, "shuffle"),
        )


def learn_auto_batch(
    setting: AutoSetting, network: Autoencoder, x: Array, offset: Offset, *, n_seen: int
) -> None:
    """Update an auto-encoder once with the mean change of a batch, then move its offsets."""
    omega, W = setting.weight_decay, network.weights
    with np.errstate(over="ignore", invalid="ignore"):
        units = network.forward(x)
        change = setting.rule.change(AutoActivity(network, x, units, setting.error))
        eta = setting.learning_rate
        if eta is None:
            slope = slope_at(setting.activation, units.reconstruction, x)
            kappa_of_units = kappa("autoencoder", setting.activation)
            pre = x - network.offset, units.hidden - network.hidden_offset
            eta = automatic_rate(kappa_of_units, slope, *pre)
        step = (eta * change.weights).astype(W.dtype, copy=False)
        a, growth = units.preactivation, _growth(network, x, units.hidden)
        # Weights grow as large as the inputs that they are to reconstruct, and activities as their products.
        sizes = eta * growth, np.abs(step).max() * growth, (x * x).sum(axis=1)
        if diverges(a, units.hidden_preactivation, *sizes):
            largest = float(np.abs(a).max()), limit_of(a), float(np.abs(x).max())
            raise DivergenceError(n_seen, setting.learning_rate, *largest)
        if omega:
            W *= 1 - omega
        W -= step
        if omega:
            flush_subnormal(W)
        if change.bias is not None:
            network.bias -= eta * change.bias
        if change.decoder_bias is not None:
            network.decoder_bias -= eta * change.decoder_bias
        if offset.shift or offset.starts_as_mean:
            network.shift_offset(x, offset.shift_after(n_seen, len(x)))
        if setting.centering is not None and setting.hidden_shift:
            network.shift_hidden_offset(units.hidden, setting.hidden_shift)


def _growth(network: Autoencoder, x: Array, hidden: Array) -> Any:
    """Return the largest ‖x − μ‖² + ‖h − λ‖² + 1 of a batch, by which a step may change the activities."""
    pre = x - network.offset, hidden - network.hidden_offset
    return sum((factor * factor).sum(axis=1) for factor in pre).max() + 1
