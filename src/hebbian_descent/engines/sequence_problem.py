"""What all trials and learning rates of a sequence share: couplings, effective inputs and targets."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.aligned import aligned, in_vectors, row_length
from hebbian_descent.checks import Array
from hebbian_descent.engines.couplings import Couplings, couplings_of_sequence, moving_offsets
from hebbian_descent.engines.network_grids import LayerCell, LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.native import core
from hebbian_descent.network import Activation
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules import ErrorTerm, Rule
from hebbian_descent.rules.base import Activity, Factors


class Part(NamedTuple):
    """Patterns that are learned or evaluated: their couplings to the learned ones, inputs and targets."""

    couplings: Array  # (n, n_learned)
    inputs: Array  # (n, n_inputs), effective inputs of the initial weights
    targets: Array  # (n, n_outputs)


class Problem(NamedTuple):
    """A problem in the form that the loops need: contiguous and of one precision.

    The couplings of training are strictly lower triangular for one epoch, and a full matrix for several.
    """

    rule: Rule
    activation: Activation
    error: ErrorTerm
    n_epochs: int
    learning_rates: Array
    training: Part
    evaluation: Part
    continued: Array | None
    """The couplings of each pattern with the steps from its own on, where only they change its activity after
    it was learned: one epoch without decay, evaluated on the learned patterns. Otherwise None."""
    imprinted: Array | None
    """What a rule that does not look at the output learns per unit of learning rate, −post."""

    @property
    def n_steps(self) -> int:
        """The number of different steps, which epochs repeat."""
        return len(self.training.targets)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of activities."""
        return self.training.targets.dtype

    def post(self, targets: Array, a: Array) -> Array:
        """Return the postsynaptic factor; the presynaptic one is in the couplings."""
        nothing = np.empty((len(a), 0), a.dtype)
        found: Factors = self.rule.factors(
            Activity(nothing, nothing, targets, a, self.activation(a), self.activation, self.error)
        )
        return found.post


def problem_of(
    cell: LayerCell, grid: LayerGrid, patterns: Patterns, pool: Executor, memory_budget: int
) -> Problem:
    """Compute what the patterns alone decide, in double precision, and convert it."""
    rule, dtype = cell.rule, grid.dtype
    x, t, evaluated_x, evaluated_t = (
        array.astype(np.float64, copy=False)
        for array in (
            patterns.inputs,
            patterns.targets,
            patterns.evaluated_inputs,
            patterns.evaluated_targets,
        )
    )
    means = x.mean(axis=0), t.mean(axis=0)
    drifts = cell.weight_decay != 0 or grid.shift != 0
    n_epochs = 1 if drifts else grid.epochs
    if drifts:  # each epoch is unlike the one before: one long sequence
        x, t = (np.tile(array, (grid.epochs, 1)) for array in (x, t))
    _check_memory(len(x), len(evaluated_x), memory_budget)
    offsets = moving_offsets(x, grid.offset(patterns), grid.offset_moves)
    silent = np.zeros_like(t)
    factors = rule.factors(Activity(x, offsets[:-1], t, silent, silent, cell.activation, grid.error, *means))

    def multiply(coefficients: Array, terms: Array) -> Array:
        n_columns = terms.shape[1]
        return product(np.ascontiguousarray(coefficients), in_vectors(terms, np.float64), pool)[:, :n_columns]

    def couplings(of: Array) -> Couplings:
        return couplings_of_sequence(
            x,
            of,
            pre=factors.pre,
            offsets=offsets,
            weight_decay=cell.weight_decay,
            learns_bias=rule.learns_bias,
            product=multiply,
        )

    found = couplings(evaluated_x)
    # In a later epoch every pattern is coupled to every other, as after the last step.
    training = found.training if n_epochs == 1 else couplings(x).evaluation
    continues = patterns.evaluated is None and grid.epochs == 1 and cell.weight_decay == 0
    return Problem(
        rule,
        cell.activation,
        grid.error,
        n_epochs,
        np.asarray(grid.learning_rates, dtype=dtype),
        Part(*(_converted(array, dtype) for array in (training, found.training_inputs, t))),
        Part(
            *(_converted(array, dtype) for array in (found.evaluation, found.evaluation_inputs, evaluated_t))
        ),
        _converted(np.triu(found.evaluation), dtype) if continues and rule.looks_at_output else None,
        None if rule.looks_at_output else _converted(-factors.post, dtype),
    )


def _converted(values: Array, dtype: np.dtype[Any]) -> Array:
    return flush_subnormal(np.array(values, dtype=dtype, order="C"))


def _check_memory(n_steps: int, n_evaluated: int, memory_budget: int) -> None:
    needed = 8 * n_steps * (4 * n_steps + 2 * n_evaluated)
    if needed > memory_budget:
        raise ValueError(
            f"The couplings of {n_steps} steps must fit into the memory budget of {memory_budget} bytes. "
            f"They need about {needed}: use fewer steps, a fixed offset without decay, or more memory."
        )


def product(coefficients: Array, terms: Array, pool: Executor | None = None) -> Array:
    """Return coefficients @ terms, both in whole vectors; a pool divides the rows among threads.

    Every column is summed in the order of the terms, on any processor and whatever the other columns. A BLAS
    guarantees neither that a column has the same bits alone and among others nor that two processors agree.
    Without the compiled core, NumPy's product is used.
    """
    if (compiled := core()) is None:
        return coefficients @ terms
    out = aligned((len(coefficients), row_length(terms.shape[1], terms.itemsize)), terms.dtype)
    out[:] = 0

    def add(rows: slice) -> None:
        compiled.add_product(out[rows], out[rows], 1.0, coefficients[rows], terms)

    list((map if pool is None else pool.map)(add, calls(len(out), terms.size)))
    return out


OPERATIONS_OF_A_CALL = 500_000_000
"""Some hundredths of a second: threads wait for the slowest, and Ctrl-C for all."""


def calls(n: int, operations_of_one: int) -> list[slice]:
    """Cut n equal pieces of work into parts for one call each, of at least one piece."""
    size = max(1, OPERATIONS_OF_A_CALL // max(1, operations_of_one))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
