"""Auto-encoders with tied weights: runs of compiled products, with one pass over the units between them.

The inputs of a run, and with them the rows of W, are split into two parts. All that one part needs of the
other is its share of the activity of the hidden units, so two threads can work on a run when no other run is
left. One thread takes the same parts in turn: the bits do not depend on the number of threads.

The plain twin is the reference engine, which also runs where the compiled core is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import islice, product, repeat
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.base import MEMORY_BUDGET, NEVER, CellResult, empty_result
from hebbian_descent.engines.network_grids import AutoencoderCell, AutoencoderGrid
from hebbian_descent.engines.patterns import Patterns, leaving_out_zeros_pays, sparse_patterns
from hebbian_descent.engines.reference import evaluate_into, reference
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION, DivergenceError
from hebbian_descent.native import core
from hebbian_descent.network import Autoencoder
from hebbian_descent.thread_pools import one_thread

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core, _TiedRun

PARTS = 2
OPERATIONS_PER_CALL = 2**29
"""Multiplications per call, some hundredths of a second: interrupts are noticed between calls."""

OPERATIONS_PER_BATCH = 2**19
"""The overhead of a batch, in multiplications that take about as long."""


def tied(
    cell: AutoencoderCell,
    grid: AutoencoderGrid,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Run all learning rates and trials of a cell, as many at once as there are threads.

    The remaining runs get two threads each if they are at most half as many as the threads.
    """
    native = core()
    if native is None:
        return reference(cell, grid, patterns, threads=threads, memory_budget=memory_budget)
    result, stop = empty_result(grid, patterns), Event()
    places = list(product(range(len(grid.learning_rates)), range(len(grid.trials))))
    n_left = len(places) % threads
    n_alone = len(places) - n_left if PARTS * n_left <= threads else len(places)

    def run(place: tuple[int, int], threads_of_run: int) -> None:
        i, j = place
        network = grid.start(cell, patterns, grid.trials[j])
        run = TiedRun(native, cell, grid, grid.learning_rates[i], network, inputs, stop)
        try:
            run.learn(threads_of_run)
        except DivergenceError as divergence:
            result.diverged_at[i, j] = divergence.step
            return
        if not stop.is_set():
            evaluate_into(result, i, j, network, patterns, threads_of_run, run.respond)

    with one_thread("blas"), ThreadPoolExecutor(threads) as pool:
        inputs = inputs_of(native, grid, patterns, pool)
        try:
            list(pool.map(run, places[:n_alone], repeat(1)))
            list(pool.map(run, places[n_alone:], repeat(PARTS)))
        except BaseException:
            stop.set()  # otherwise the pool would wait for runs that nobody needs
            raise
    return result


class Inputs(NamedTuple):
    """The learned inputs in the form that compiled runs take."""

    n_patterns: int
    arrays: tuple[Any, ...]
    """All of them and where they are cut, or two parts without their zeros."""

    is_sparse: bool


def inputs_of(native: Core, grid: AutoencoderGrid, patterns: Patterns, pool: Executor) -> Inputs:
    """Return inputs in the precision of the grid, without their zeros if that pays."""
    is_sparse, inputs, dtype = leaves_out_zeros(grid, patterns), patterns.inputs, grid.dtype
    if not is_sparse or inputs.dtype not in (np.float32, np.float64):
        inputs = inputs.astype(dtype, copy=False)
    inputs, half = np.ascontiguousarray(inputs), inputs.shape[1] // PARTS
    if not is_sparse:
        return Inputs(len(inputs), (inputs, half), is_sparse)
    halves = (0, half), (half, inputs.shape[1])
    parts = pool.map(lambda columns: sparse_patterns(native, inputs, dtype, columns), halves)
    return Inputs(len(inputs), tuple(parts), is_sparse)


def leaves_out_zeros(grid: AutoencoderGrid, patterns: Patterns) -> bool:
    """Return whether products with the inputs leave out their zeros."""
    return core() is not None and leaving_out_zeros_pays(
        patterns.share_of_inputs, min(grid.batch_size, len(patterns.inputs))
    )


class Steps(NamedTuple):
    """Some batches that follow each other."""

    rows: npt.NDArray[np.int64]  # as the compiled core expects, even where intp is shorter
    bounds: npt.NDArray[np.int64]
    """Where the rows of each batch begin and end, (n_batches + 1,)."""
    first: int
    """The number of the first batch."""


class TiedRun:
    """One run, in place of `Training`; `stop` ends it early."""

    def __init__(
        self,
        native: Core,
        cell: AutoencoderCell,
        grid: AutoencoderGrid,
        learning_rate: float,
        network: Autoencoder,
        inputs: Inputs,
        stop: Event,
    ) -> None:
        self.grid, self.learning_rate, self.network, self.stop = grid, learning_rate, network, stop
        self.n_patterns, self.batch_size = inputs.n_patterns, min(grid.batch_size, inputs.n_patterns)
        is_single = network.weights.dtype == np.float32
        rule = (native.TiedRule32 if is_single else native.TiedRule64)(
            *by_name(cell.activation.hidden),
            *by_name(cell.activation.output),
            *by_name(grid.error),
            form=str(cell.rule.compiled_form),
            pulls_back=cell.rule.pulls_back,
            learning_rate=learning_rate,
            weight_decay=cell.weight_decay,
            hidden_shift=grid.moves["hidden_shift"],
            limit=LARGEST_PREACTIVATION,
        )
        kind = native.TiedRun32 if is_single else native.TiedRun64
        make: Callable[..., Any] = kind.of_sparse if inputs.is_sparse else kind.of_whole
        self.compiled: _TiedRun = make(
            rule,
            *inputs.arrays,
            network.weights,
            network.offset,
            network.decoder_bias,
            network.bias,
            network.hidden_offset,
            longest=self.batch_size,
        )

    def learn(self, threads: int = 1) -> None:
        """Show all patterns, epoch by epoch."""
        if threads == 1:
            diverged_at = self._learn_some((0, PARTS))
        else:
            with ThreadPoolExecutor(PARTS) as pool:
                diverged_at, *_ = pool.map(self._learn_some, ((part, part + 1) for part in range(PARTS)))
        network, n_steps = self.network, -(-self.n_patterns // self.batch_size) * self.grid.epochs
        self.compiled.write(network.weights, network.decoder_bias, network.bias, network.hidden_offset)
        if diverged_at == NEVER and self.compiled.output_is_beyond():
            diverged_at = n_steps - 1
        if diverged_at == NEVER and not np.isfinite(network.weights).all():
            diverged_at = n_steps
        if diverged_at != NEVER:
            raise DivergenceError(diverged_at, self.learning_rate)

    def _learn_some(self, parts: tuple[int, int]) -> int:
        """Do some of the parts of every step; return the step that diverged, or NEVER."""
        diverged_at = NEVER
        try:
            for steps in self._steps():
                if self.stop.is_set():
                    self.compiled.stop()
                diverged_at = self.compiled.learn(*parts, steps.rows, steps.bounds, steps.first)
                if diverged_at != NEVER or self.compiled.is_stopped():
                    break
        except BaseException:
            self.compiled.stop()  # so that the other thread does not wait for this one
            raise
        return diverged_at

    def _steps(self) -> Iterator[Steps]:
        """Yield few enough batches at a time for a call to be short."""
        network, first = self.network, 0
        per_step = 3 * self.batch_size * network.n_inputs * network.n_hidden + OPERATIONS_PER_BATCH
        at_once = max(1, OPERATIONS_PER_CALL // per_step)
        batches = iter(self.grid.batches(self.n_patterns))
        while some := list(islice(batches, at_once)):
            bounds = np.cumsum([0, *(len(rows) for rows in some)], dtype=np.int64)
            yield Steps(np.concatenate(some, dtype=np.int64), bounds, first)
            first += len(some)

    def respond(self, inputs: Array) -> tuple[Array, Array]:
        """Return the hidden units and the reconstruction of some patterns."""
        h, z = (np.empty((len(inputs), n), inputs.dtype) for n in (self.network.n_hidden, inputs.shape[1]))
        self.compiled.respond(np.ascontiguousarray(inputs), h, z)
        return h, z


def by_name(member: Any) -> tuple[str, dict[str, float]]:
    """Return the compiled form of an activation or error term."""
    return member.compiled_form, dict(member.parameters)
