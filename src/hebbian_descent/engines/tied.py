"""Auto-encoders with tied weights: matrix products by BLAS, and one pass over the units between them.

The inputs of a run, and with them the rows of W, are cut in two parts. All that one part needs of the other
is its share of the activity of the hidden units, so two threads can work on a run where no other run is left.
One thread takes the same parts one after the other: bits do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product, repeat
from threading import Event
from typing import Any

import numpy as np

from hebbian_descent.engines.base import MEMORY_BUDGET, NEVER, CellResult, empty_result
from hebbian_descent.engines.network_grids import AutoencoderCell, AutoencoderGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.reference import evaluate_into
from hebbian_descent.engines.tied_inputs import PARTS, Inputs, encoder_of, inputs_in_parts
from hebbian_descent.engines.tied_part import HiddenBatch, HiddenUnits, Part, Rates
from hebbian_descent.engines.tied_passes import Passes, passes_of
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.network import Autoencoder
from hebbian_descent.thread_pools import one_thread

Meet = Callable[[], bool]
"""Wait for the other threads of a run; False where learning has to stop."""


def tied(
    cell: AutoencoderCell,
    grid: AutoencoderGrid,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Run all learning rates and trials of a cell, as many at once as there are threads.

    What is left over, and is not even half as many runs as threads, has two threads each.
    """
    result, stop = empty_result(grid, patterns), Event()
    places = list(product(range(len(grid.learning_rates)), range(len(grid.trials))))
    n_left = len(places) % threads
    n_alone = len(places) - n_left if PARTS * n_left <= threads else len(places)
    passes = passes_of(cell, grid)
    inputs = inputs_in_parts(cell, grid, patterns, passes)
    encode = encoder_of(inputs, patterns, passes)

    def run(place: tuple[int, int], threads_of_run: int) -> None:
        i, j = place
        network = grid.start(cell, patterns, grid.trials[j])
        rate = grid.learning_rates[i]
        form = str(cell.rule.compiled_form)
        rates = Rates(rate, cell.weight_decay, grid.moves["hidden_shift"], form)
        try:
            TiedRun(grid, network, inputs, passes, rates, stop).learn(len(patterns.inputs), threads_of_run)
        except DivergenceError as divergence:
            result.diverged_at[i, j] = divergence.step
        else:
            evaluate_into(result, i, j, network, patterns, threads_of_run, encode)

    with one_thread("blas"), ThreadPoolExecutor(threads) as pool:
        try:
            list(pool.map(run, places[:n_alone], repeat(1)))
            list(pool.map(run, places[n_alone:], repeat(PARTS)))
        except BaseException:
            stop.set()  # otherwise the pool would wait for runs that nobody needs
            raise
    return result


class TiedRun:
    """One run of a rule with a compiled form, in place of `Training`; `stop` ends it early."""

    def __init__(
        self,
        grid: AutoencoderGrid,
        network: Autoencoder,
        inputs: list[Inputs],
        passes: Passes,
        rates: Rates,
        stop: Event,
    ) -> None:
        self.grid, self.network, self.inputs = grid, network, inputs
        self.passes, self.rates, self.stop = passes, rates, stop
        self.units = HiddenUnits(network, len(inputs))

    def learn(self, n_patterns: int, threads: int = 1) -> None:
        """Show all patterns, epoch by epoch."""
        batch_size = min(self.grid.batch_size, n_patterns)
        parts = {n: self._parts_for(n) for n in {batch_size, n_patterns % batch_size or batch_size}}
        native = self.passes.native
        if threads > 1 and len(self.inputs) > 1 and native is not None:
            diverged_at = self._learn_on_threads(parts, n_patterns, native.SpinBarrier(len(self.inputs)))
        else:
            numbers = range(len(self.inputs))
            diverged_at = self._learn_some(parts, numbers, n_patterns, lambda: not self.stop.is_set())
        n_steps = -(-n_patterns // batch_size) * self.grid.epochs
        if diverged_at == NEVER and self.units.beyond[1].any():
            diverged_at = n_steps - 1
        if diverged_at == NEVER and not np.isfinite(self.network.weights).all():
            diverged_at = n_steps
        if diverged_at != NEVER:
            raise DivergenceError(diverged_at, self.rates.learning_rate)
        self.network.bias[:], self.network.hidden_offset[:] = self.units.bias[0], self.units.offset[0]

    def _parts_for(self, n: int) -> list[Part]:
        batch = HiddenBatch(self.units, n)
        return [
            Part(number, inputs, self.network, self.units, batch, self.passes, self.rates)
            for number, inputs in enumerate(self.inputs)
        ]

    def _learn_on_threads(self, parts: dict[int, list[Part]], n_patterns: int, barrier: Any) -> int:
        """Let every part have its thread, of which one is this."""

        def take_part(number: int) -> int:
            try:
                return self._learn_some(
                    parts, [number], n_patterns, lambda: barrier.wait() and not self.stop.is_set()
                )
            finally:
                barrier.abort()  # whoever leaves early must not be waited for

        with ThreadPoolExecutor(len(self.inputs) - 1) as pool:
            others = [pool.submit(take_part, number) for number in range(1, len(self.inputs))]
            diverged_at = take_part(0)
            for other in others:
                other.result()
        return diverged_at

    def _learn_some(
        self, parts: dict[int, list[Part]], numbers: Sequence[int], n_patterns: int, meet: Meet
    ) -> int:
        """Do some of the parts of every step; return the step that diverged, or NEVER."""
        mine = {n: [some[number] for number in numbers] for n, some in parts.items()}
        hidden_beyond, output_beyond = self.units.beyond
        with np.errstate(over="ignore", invalid="ignore"):  # threads do not inherit it
            for step, rows in enumerate(self.grid.batches(n_patterns)):
                now = mine[len(rows)]
                for part in now:
                    part.encode(rows)
                if not meet():
                    return NEVER
                if output_beyond.any():  # in the step before
                    return step - 1
                for part in now:
                    part.activate()
                if not meet():
                    return NEVER
                if hidden_beyond.any():
                    return step
                for part in now:
                    part.decode()
                if self.rates.form == "encoder_and_decoder":
                    if not meet():
                        return NEVER
                    for part in now:
                        part.pull_back()
                    if not meet():
                        return NEVER
                for part in now:
                    part.update()
        return NEVER
