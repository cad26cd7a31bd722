"""Learning step after step: some learning rates of one trial, over one block of output units.

`learn_plainly` says what is computed; `learn_compiled` computes the same in the compiled core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned
from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER
from hebbian_descent.engines.ordered_product import product
from hebbian_descent.engines.sequence_problem import Problem
from hebbian_descent.engines.tiling import calls
from hebbian_descent.engines.vectors import as_vectors, in_vectors
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.rules import get_error_term

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core


class BlockResult(NamedTuple):
    """Sums over the units of the block, and their outputs; meaningless for diverged runs."""

    errors: Array  # (n_rates, n_evaluated), Σ|h − t|
    diverged_at: npt.NDArray[np.int64]  # (n_rates,)
    outputs: Array  # (n_rates, n_evaluated or 0, n_units)


def learn_plainly(
    problem: Problem, weights: Array, units: slice, rates: slice, *, keeps_outputs: bool
) -> BlockResult:
    """Learn and evaluate in Python, all learning rates side by side."""
    training, evaluation = problem.training, problem.evaluation
    eta = problem.learning_rates[rates, np.newaxis]
    start, evaluated_start = training.inputs @ weights[:, units], evaluation.inputs @ weights[:, units]
    summed = np.zeros((len(eta), *start.shape), start.dtype)  # Σ p over the epochs, for each pattern
    diverged_at = np.full(len(eta), NEVER)
    with np.errstate(over="ignore", invalid="ignore"):  # of runs that have diverged
        for step in range(problem.n_epochs * problem.n_steps):
            t = step % problem.n_steps
            a = start[t] + training.couplings[t] @ summed  # (n_rates, n_units)
            is_beyond = ~(np.abs(a) <= LARGEST_PREACTIVATION).all(axis=1)
            diverged_at[is_beyond & (diverged_at == NEVER)] = step
            summed[:, t] -= eta * problem.post(training.targets[t, units], a)
        outputs = problem.activation(evaluated_start + evaluation.couplings @ summed)
        errors = np.abs(outputs - evaluation.targets[:, units]).sum(axis=2, dtype=np.float64)
    return BlockResult(errors, diverged_at, outputs if keeps_outputs else outputs[:, :0])


def learn_compiled(
    core: Core,
    problem: Problem,
    weights: Array,
    units: slice,
    rates: slice,
    *,
    keeps_outputs: bool,
) -> BlockResult:
    """Learn and evaluate in the compiled core, one learning rate after another."""
    training, evaluation, dtype = problem.training, problem.evaluation, problem.dtype
    unit, parameters = problem.activation.compiled_form, dict(problem.activation.parameters)
    error = problem.error if problem.rule.takes_error_term else get_error_term("difference")
    assert unit is not None
    assert error.compiled_form is not None
    at_rest = np.zeros((1, 1), dtype)
    core.activate(at_rest, at_rest, unit, parameters)  # φ(0), so that nothing is learned beyond the last unit
    block = as_vectors(weights[:, units])
    start = product(training.inputs, block)
    continued = problem.continued
    targets = in_vectors(training.targets[:, units], dtype, at_rest[0, 0])
    n_units, n_evaluated = units.stop - units.start, len(evaluation.targets)
    learning_rates = problem.learning_rates[rates]
    result = BlockResult(
        errors=np.full((len(learning_rates), n_evaluated), np.nan),
        diverged_at=np.full(len(learning_rates), NEVER),
        outputs=np.empty((len(learning_rates), n_evaluated if keeps_outputs else 0, n_units), dtype),
    )
    arrays = (
        learning_rates,
        training.couplings,
        start,
        targets,
        evaluation.couplings if continued is None else continued,
        start if continued is not None else product(evaluation.inputs, block),
        targets if continued is not None else in_vectors(evaluation.targets[:, units], dtype, at_rest[0, 0]),
        aligned((core.sequence_room(len(start)), start.shape[1]), dtype),
        *result,
    )
    for epochs in epochs_of_calls(problem, units, len(learning_rates)):
        settings = core.SequenceSettings(
            first_epoch=epochs.start,
            n_epochs=epochs.stop - epochs.start,
            evaluates=epochs.stop == problem.n_epochs,
            continues=continued is not None,
            pulls_back=problem.rule.pulls_back,
            error=error.compiled_form,
            error_parameters=dict(error.parameters),
        )
        core.learn_sequences(*arrays, n_units=n_units, settings=settings, unit=unit, parameters=parameters)
    return result


def epochs_of_calls(problem: Problem, units: slice, n_rates: int) -> list[slice]:
    """Cut the epochs so that a call ends soon; several learning rates run through all epochs in one call."""
    if n_rates > 1:
        return [slice(0, problem.n_epochs)]
    return calls(problem.n_epochs, operations_of_epoch(problem, units))


def operations_of_epoch(problem: Problem, units: slice) -> int:
    """Return how many additions an epoch takes about, with the evaluation."""
    n_units: int = units.stop - units.start
    return problem.n_steps * (problem.n_steps + len(problem.evaluation.targets)) * n_units
