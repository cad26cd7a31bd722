"""Auto-encoders in blocks: one run on several processors, with the same bits on any number of them.

The rows of the weights are cut into blocks. A block decodes its own inputs, computes their error and updates
its own weights, all without looking at the others; only what flows to the hidden units is summed over the
blocks, in a fixed order. The cut depends on the sizes alone, so the number of threads changes the time and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import numpy as np
from threadpoolctl import threadpool_limits

from hebbian_descent.checks import Array
from hebbian_descent.network import Autoencoder
from hebbian_descent.network.offsets import flush_subnormal, moving_average
from hebbian_descent.rules.gradient_descent import pulled_back
from hebbian_descent.sweep.auto_reference import evaluate_into, new_network
from hebbian_descent.sweep.auto_setting import AutoCell, AutoSetting
from hebbian_descent.sweep.engine import MEMORY_BUDGET, CellResult, empty_result
from hebbian_descent.sweep.patterns import Patterns
from hebbian_descent.training import LARGEST_PREACTIVATION, DivergenceError

N_BLOCKS = 2
STEPS_BETWEEN_FLUSHES = 16

Spread = Callable[[Callable[[int], None], int], None]
"""Call a function with the number of each block, one after another or at once."""


def blocked(
    cell: AutoCell,
    setting: AutoSetting,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Run all learning rates and trials of a cell: several runs at once, or the blocks of one."""
    result = empty_result(setting, patterns)
    inputs = patterns.inputs.astype(setting.dtype, copy=False)
    runs = list(product(range(len(setting.learning_rates)), range(len(setting.trials))))

    def run(place: tuple[int, int], spread: Spread = _one_after_another) -> None:
        i, j = place
        network = new_network(cell, setting, patterns, setting.trials[j])
        try:
            learner = BlockedLearner(cell, setting, network, setting.learning_rates[i], spread)
            learner.run(inputs)
        except DivergenceError as divergence:
            result.diverged_at[i, j] = divergence.step
            return
        evaluate_into(result, i, j, network, patterns)

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        if threads == 1 or len(runs) >= threads:
            list(pool.map(run, runs))
        else:
            for place in runs:
                run(place, _at_once(pool))
    return result


def _one_after_another(function: Callable[[int], None], n_blocks: int) -> None:
    for block in range(n_blocks):
        function(block)


def _at_once(pool: ThreadPoolExecutor) -> Spread:
    def spread(function: Callable[[int], None], n_blocks: int) -> None:
        others = [pool.submit(function, block) for block in range(1, n_blocks)]
        function(0)  # this thread has nothing else to do
        for other in others:
            other.result()

    return spread


class BlockedLearner:
    """One run of Hebbian-descent or gradient descent, in place of `Training` for an auto-encoder."""

    def __init__(
        self, cell: AutoCell, setting: AutoSetting, network: Autoencoder, learning_rate: float, spread: Spread
    ) -> None:
        self.setting, self.network, self.spread = setting, network, spread
        self.eta, self.omega = learning_rate, cell.weight_decay
        self.shift = setting.hidden_shift if setting.centering else 0.0
        self.follows_gradient = cell.rule.name == "gradient_descent"
        edges = np.linspace(0, network.n_inputs, min(N_BLOCKS, network.n_inputs) + 1).astype(int)
        self.blocks = [slice(a, b) for a, b in pairwise(edges)]
        self.change = np.empty_like(network.weights)

    def run(self, inputs: Array) -> None:
        """Show all patterns, epoch by epoch."""
        step = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for step, rows in enumerate(self.setting.batches(len(inputs))):
                self._update(inputs[rows], step)
        if not np.isfinite(self.network.weights).all():
            raise DivergenceError(step + 1, self.eta, np.inf)

    def _update(self, x: Array, step: int) -> None:
        network, n = self.network, len(x)
        W, b, c, lam = network.weights, network.bias, network.decoder_bias, network.hidden_offset
        eta, centered = self.eta, x - network.offset
        to_hidden: Array = np.empty((len(self.blocks), n, network.n_hidden), W.dtype)

        def encode(number: int) -> None:
            block = self.blocks[number]
            np.matmul(centered[:, block], W[block], out=to_hidden[number])

        self.spread(encode, len(self.blocks))
        a: Array = to_hidden.sum(axis=0) + b
        self._stop_if_diverged(a, step)
        h = network.hidden_activation(a)
        scaled: Array = (h - lam) * (eta / n)
        moved = moving_average(lam, h, self.shift)
        largest = np.zeros(len(self.blocks))

        def decode_and_learn(number: int) -> None:
            block = self.blocks[number]
            a_dec = (h - lam) @ W[block].T + c[block]
            largest[number] = np.abs(a_dec).max()
            z = network.output_activation(a_dec)
            delta = self.setting.error(x[:, block], z)
            if self.follows_gradient:
                delta = pulled_back(network.output_activation, delta, a_dec, z)
                np.matmul(delta, W[block], out=to_hidden[number])
            self._change_weights(block, delta, scaled, step, decay=True)
            c[block] -= eta * delta.mean(axis=0)
            if not self.follows_gradient:
                c[block] += W[block] @ (moved - lam)

        self.spread(decode_and_learn, len(self.blocks))
        if not largest.max() <= LARGEST_PREACTIVATION:  # also where it is not a number
            raise DivergenceError(step, eta, float(largest.max()))

        if self.follows_gradient:
            epsilon = pulled_back(network.hidden_activation, to_hidden.sum(axis=0), a, h)
            scaled = epsilon * (eta / n)

            def learn_encoder(number: int) -> None:
                block = self.blocks[number]
                self._change_weights(block, centered[:, block], scaled, step, decay=False)
                c[block] += W[block] @ (moved - lam)

            self.spread(learn_encoder, len(self.blocks))
            b -= scaled.sum(axis=0)
        network.hidden_offset = moved

    def _change_weights(self, block: slice, pre: Array, scaled: Array, step: int, *, decay: bool) -> None:
        W, change = self.network.weights[block], self.change[block]
        np.matmul(pre.T, scaled, out=change)
        if self.omega and decay:
            W *= 1 - self.omega
        W -= change
        if self.omega and step % STEPS_BETWEEN_FLUSHES == 0:
            flush_subnormal(W)

    def _stop_if_diverged(self, a: Array, step: int) -> None:
        largest = float(np.abs(a).max())
        if not largest <= LARGEST_PREACTIVATION:
            raise DivergenceError(step, self.eta, largest)
