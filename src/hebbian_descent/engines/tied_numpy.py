"""Auto-encoders without a compiled form: matrix products, and as few passes between them as NumPy can."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.auto_setting import AutoCell, AutoSetting
from hebbian_descent.kernels.products import subtract_product
from hebbian_descent.learning.run import LARGEST_PREACTIVATION, DivergenceError
from hebbian_descent.network import Autoencoder
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules.gradient_descent import pulled_back

STEPS_BETWEEN_FLUSHES = 16


class NumpyLearner:
    """One run of Hebbian-descent, gradient descent or Hebb's rule, in place of `Training`."""

    def __init__(
        self, cell: AutoCell, setting: AutoSetting, network: Autoencoder, learning_rate: float
    ) -> None:
        self.setting, self.network = setting, network
        self.eta, self.omega = learning_rate, cell.weight_decay
        self.shift = setting.hidden_shift if setting.centering else 0.0
        self.follows_gradient = cell.rule.pulls_back
        self.learns_from_error = cell.rule.compiled_form != "imprint"

    def run(self, inputs: Array) -> None:
        """Show all patterns, epoch by epoch."""
        step = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for step, rows in enumerate(self.setting.batches(len(inputs))):
                self._update(inputs[rows].astype(self.setting.dtype, copy=False), step)
        if not np.isfinite(self.network.weights).all():
            raise DivergenceError(step + 1, self.eta)

    def _update(self, x: Array, step: int) -> None:
        network, eta, keep = self.network, self.eta / len(x), 1 - self.omega
        W, centered = network.weights, x - network.offset
        a = centered @ W
        a += network.bias
        h = network.hidden_activation(a)
        self._stop_if_diverged(a, step)
        centered_hidden = h - network.hidden_offset
        outputs = centered_hidden @ W.T
        outputs += network.decoder_bias
        self._stop_if_diverged(outputs, step)

        if self.learns_from_error:
            delta = self._error(outputs, x)
            # The encoder part needs the old weights, so its error is computed before they change.
            epsilon = self._hidden_error(delta, a, h) * eta if self.follows_gradient else None
            subtract_product(W, delta, centered_hidden * eta, keep)
            network.decoder_bias -= eta * delta.sum(axis=0)
            if epsilon is not None:
                subtract_product(W, centered, epsilon)
                network.bias -= epsilon.sum(axis=0)
        else:
            subtract_product(W, centered, centered_hidden * -eta, keep)
        if self.omega and step % STEPS_BETWEEN_FLUSHES == 0:
            flush_subnormal(W)
        if self.shift:
            network.shift_hidden_offset(h, self.shift)

    def _error(self, a: Array, x: Array) -> Array:
        """Return the error of the outputs, pulled back if asked."""
        activation = self.network.output_activation
        z = activation(a)
        delta = self.setting.error(x, z)
        return pulled_back(activation, delta, a, z) if self.follows_gradient else delta

    def _hidden_error(self, delta: Array, a: Array, h: Array) -> Array:
        return pulled_back(self.network.hidden_activation, delta @ self.network.weights, a, h)

    def _stop_if_diverged(self, a: Array, step: int) -> None:
        largest = max(a.max(), -a.min())
        if not largest <= LARGEST_PREACTIVATION:  # also where it is not a number
            raise DivergenceError(step, self.eta, float(largest))
