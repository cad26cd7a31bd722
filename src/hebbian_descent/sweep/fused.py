"""Auto-encoders with little but matrix products: one compiled pass over the outputs, few arrays in between.

A run has one thread, and several runs go on at once. Its matrices are too small to gain from being cut up: on
two processors, waiting for each other costs as much as is saved.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from hebbian_descent.checks import Array
from hebbian_descent.kernels.products import subtract_product
from hebbian_descent.network import Autoencoder
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules.gradient_descent import pulled_back
from hebbian_descent.sweep.auto_reference import evaluate_into, new_network
from hebbian_descent.sweep.auto_setting import AutoCell, AutoSetting
from hebbian_descent.sweep.engine import MEMORY_BUDGET, CellResult, empty_result, kernel_kind
from hebbian_descent.sweep.patterns import Patterns
from hebbian_descent.training import LARGEST_PREACTIVATION, DivergenceError

STEPS_BETWEEN_FLUSHES = 16


def fused(
    cell: AutoCell,
    setting: AutoSetting,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Run all learning rates and trials of a cell, as many at once as there are threads."""
    result = empty_result(setting, patterns)
    inputs = patterns.inputs.astype(setting.dtype, copy=False)

    def run(place: tuple[int, int]) -> None:
        i, j = place
        network = new_network(cell, setting, patterns, setting.trials[j])
        try:
            FusedLearner(cell, setting, network, setting.learning_rates[i]).run(inputs)
        except DivergenceError as divergence:
            result.diverged_at[i, j] = divergence.step
            return
        evaluate_into(result, i, j, network, patterns)

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, product(range(len(setting.learning_rates)), range(len(setting.trials)))))
    return result


class FusedLearner:
    """One run of Hebbian-descent or gradient descent, in place of `Training` for an auto-encoder."""

    def __init__(
        self, cell: AutoCell, setting: AutoSetting, network: Autoencoder, learning_rate: float
    ) -> None:
        self.setting, self.network = setting, network
        self.eta, self.omega = learning_rate, cell.weight_decay
        self.shift = setting.hidden_shift if setting.centering else 0.0
        self.follows_gradient = cell.rule.name == "gradient_descent"
        output, error = cell.activation.output, setting.error
        is_compiled = output.is_built_in and output.elementwise and error.is_built_in
        self.kind = kernel_kind(output) if is_compiled and error.name == "difference" else None

    def run(self, inputs: Array) -> None:
        """Show all patterns, epoch by epoch."""
        step = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for step, rows in enumerate(self.setting.batches(len(inputs))):
                self._update(inputs[rows], step)
        if not np.isfinite(self.network.weights).all():
            raise DivergenceError(step + 1, self.eta, np.inf)

    def _update(self, x: Array, step: int) -> None:
        network, eta = self.network, self.eta / len(x)
        W, lam, centered = network.weights, network.hidden_offset, x - network.offset
        a = centered @ W
        a += network.bias
        h = network.hidden_activation(a)
        self._stop_if_diverged(max(a.max(), -a.min()), step)
        centered_hidden = h - lam
        delta, sums, largest = self._error(centered_hidden @ W.T, x)
        self._stop_if_diverged(largest, step)

        # The encoder part needs the old weights, so its error is computed before they change.
        epsilon = (
            pulled_back(network.hidden_activation, delta @ W, a, h) * eta if self.follows_gradient else None
        )
        subtract_product(W, delta, centered_hidden * eta, keep=1 - self.omega)
        if epsilon is not None:
            subtract_product(W, centered, epsilon)
            network.bias -= epsilon.sum(axis=0)
        if self.omega and step % STEPS_BETWEEN_FLUSHES == 0:
            flush_subnormal(W)
        network.decoder_bias -= eta * sums
        if self.shift:
            network.shift_hidden_offset(h, self.shift)

    def _error(self, a: Array, x: Array) -> tuple[Array, Array, float]:
        """Return the error of the outputs, pulled back if asked, its sum over patterns, the largest |a|."""
        activation, c = self.network.output_activation, self.network.decoder_bias
        if self.kind is not None:
            from hebbian_descent.kernels.reconstruction import error_of_reconstruction

            sums = np.zeros_like(c)
            largest = error_of_reconstruction(self.kind, self.follows_gradient, a, c, x, sums)
            return a, sums, float(largest)
        a = a + c
        z = activation(a)
        delta = self.setting.error(x, z)
        if self.follows_gradient:
            delta = pulled_back(activation, delta, a, z)
        return delta, delta.sum(axis=0), float(np.abs(a).max())

    def _stop_if_diverged(self, largest: float, step: int) -> None:
        if not largest <= LARGEST_PREACTIVATION:  # also where it is not a number
            raise DivergenceError(step, self.eta, float(largest))
