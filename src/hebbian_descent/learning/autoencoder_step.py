"""One update of an auto-encoder with tied weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.learning.presentations import presentations_of
from hebbian_descent.learning.rates import Automatic, Rates
from hebbian_descent.learning.shares import shares_of, weighted_change, weighted_rows
from hebbian_descent.learning.strength import Strength, strength_of
from hebbian_descent.learning.update_base import ORDINARY, UpdateBase, change_weights
from hebbian_descent.network import Autoencoder
from hebbian_descent.network.autoencoder import Pass
from hebbian_descent.rules import AutoRule
from hebbian_descent.rules.base import AutoActivity


class AutoencoderUpdate(UpdateBase):
    """How one batch changes an auto-encoder."""

    def autoencoder(
        self,
        network: Autoencoder,
        inputs: Array,
        hidden_targets: Array | None = None,
        *,
        step: int = 0,
        scales: Array | None = None,
        shift: float = 0.0,
        hidden_shift: float = 0.0,
        strength: Strength | None = None,
    ) -> None:
        """Update an auto-encoder with the mean change of a batch, then move its two offsets.

        `scales` are the weights of patterns, as for a layer: shares of the mean in a batch, presentations of
        a single one, of which there are no more than `MOST_SINGLE`. Weights decay once. `strength`, as for a
        layer, is for patterns without such weights.
        """
        x = inputs
        shares = None if scales is None or len(x) == 1 else shares_of(scales)
        weight = float(scales[0]) if scales is not None and len(x) == 1 else 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            decay = self.weight_decay
            for factor in presentations_of(weight):
                units = self._show(network, x, hidden_targets, step, shares, strength, factor, decay)
                decay = 0.0
            self._settle(network, step)
            if shift:
                network.shift_offset(weighted_rows(x, shares), shift)
            if hidden_shift:
                network.shift_hidden_offset(weighted_rows(units.hidden, shares), hidden_shift)

    def _show(
        self,
        network: Autoencoder,
        x: Array,
        hidden_targets: Array | None,
        step: int,
        shares: Array | None,
        strength: Strength | None,
        factor: float,
        decay: float,
    ) -> Pass:
        """Change an auto-encoder by the mean over a batch, times a factor; return what its units did."""
        rule, W = self.rule, network.weights
        assert isinstance(rule, AutoRule)
        units = network.forward(x)
        self._stop_if_diverged(step, x, units.preactivation, units.hidden_preactivation, bound=ORDINARY)
        activity = AutoActivity(network, x, units, self.error, hidden_targets)
        weights = shares if strength is None else strength_of(strength, activity)
        change = rule.change(activity) if weights is None else weighted_change(rule, activity, weights)
        eta = self._rates_of_autoencoder(network, x, units, step, shares)
        scaled = (factor * eta.weights * change.weights).astype(W.dtype, copy=False)
        if self.bound.looks_ahead:
            growth = _largest_growth(network, x, units.hidden)
            # Weights grow as large as the inputs they reconstruct, and activities as large as the products.
            sizes = np.max(eta.weights) * growth, np.abs(scaled).max() * growth, (x * x).sum(axis=1)
            self._stop_if_too_long(sizes, step, x, units.preactivation)
        change_weights(W, scaled, decay=decay, connectivity=self.connectivity)
        if change.bias is not None:
            network.bias -= factor * eta.bias * change.bias
        if change.decoder_bias is not None:
            network.decoder_bias -= factor * eta.decoder_bias * change.decoder_bias
        return units

    def _rates_of_autoencoder(
        self, network: Autoencoder, x: Array, units: Pass, step: int, shares: Array | None
    ) -> Rates:
        if not isinstance(self.rate, Automatic):
            return Rates(self.rate, self.rate, self.rate)
        assert isinstance(self.rule, AutoRule)
        eta = self.rate.of_autoencoder(
            self.rule, network, inputs=x, units=units, shares=shares, connectivity=self.connectivity
        )
        self._usable(eta.bias, step, x, units.preactivation)
        return eta


def _largest_growth(network: Autoencoder, x: Array, hidden: Array) -> Any:
    """Return the largest ‖x − μ‖² + ‖h − λ‖² + 1 of a batch, by which a step may change the activities."""
    pre = x - network.offset, hidden - network.hidden_offset
    return sum((factor * factor).sum(axis=1) for factor in pre).max() + 1
