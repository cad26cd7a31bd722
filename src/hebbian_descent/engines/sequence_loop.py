"""Learning of one block of output units: some learning rates of one trial, step by step or at once.

`learn_plainly` defines what is computed; `learn_compiled` computes the same in the compiled core.

`imprint` serves rules whose updates do not depend on the output, so that the activities are linear in the
learning rate. Hebb's rule and the covariance rule change the weights by p = η·(t or t − ⟨t⟩) at every step:
one product with the couplings serves all learning rates, and no step waits for another.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned, as_vectors, in_vectors
from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER
from hebbian_descent.engines.sequence_problem import Problem, calls, product
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.native import core
from hebbian_descent.rules import get_error_term

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core


class BlockResult(NamedTuple):
    """Sums over the units of the block, and their outputs; meaningless for diverged runs."""

    errors: Array  # (n_rates, n_evaluated), Σ|h − t|
    diverged_at: npt.NDArray[np.int64]  # (n_rates,)
    outputs: Array  # (n_rates, n_evaluated or 0, n_units)


class UnitBlock:
    """Some output units of one trial; what all learning rates need is computed once, by the first of them."""

    def __init__(self, problem: Problem, weights: Array, units: slice) -> None:
        self.problem, self.units = problem, units
        self.weights = weights[:, units]  # (n_inputs, n_units)
        self.n_units: int = units.stop - units.start
        self.training_targets = problem.training.targets[:, units]
        self.evaluation_targets = problem.evaluation.targets[:, units]

    @cached_property
    def start(self) -> Array:
        """The activities of the learned patterns under the initial weights, in whole vectors."""
        return product(self.problem.training.inputs, as_vectors(self.weights))

    @cached_property
    def evaluated_start(self) -> Array:
        """The same for the evaluated patterns."""
        return product(self.problem.evaluation.inputs, as_vectors(self.weights))

    @cached_property
    def imprinted(self) -> tuple[Array, Array, Array]:
        """What η = 1 imprints: within the first epoch, in each later one, and on the evaluated patterns."""
        training, learned = self.problem.training, self.problem.imprinted
        assert learned is not None
        block = as_vectors(learned[:, self.units])
        within = product(np.tril(training.couplings, -1), block)
        return within, product(training.couplings, block), product(self.problem.evaluation.couplings, block)


def learn_plainly(block: UnitBlock, rates: slice, *, keeps_outputs: bool) -> BlockResult:
    """Learn and evaluate in Python, all learning rates side by side."""
    problem = block.problem
    training, evaluation = problem.training, problem.evaluation
    eta = problem.learning_rates[rates, np.newaxis]
    start, evaluated_start = training.inputs @ block.weights, evaluation.inputs @ block.weights
    summed = np.zeros((len(eta), *start.shape), start.dtype)  # Σ p over the epochs, for each pattern
    diverged_at = np.full(len(eta), NEVER)
    with np.errstate(over="ignore", invalid="ignore"):  # of runs that have diverged
        for step in range(problem.n_epochs * problem.n_steps):
            t = step % problem.n_steps
            a = start[t] + training.couplings[t] @ summed  # (n_rates, n_units)
            is_beyond = ~(np.abs(a) <= LARGEST_PREACTIVATION).all(axis=1)
            diverged_at[is_beyond & (diverged_at == NEVER)] = step
            summed[:, t] -= eta * problem.post(block.training_targets[t], a)
        outputs = problem.activation(evaluated_start + evaluation.couplings @ summed)
        errors = np.abs(outputs - block.evaluation_targets).sum(axis=2, dtype=np.float64)
    return BlockResult(errors, diverged_at, outputs if keeps_outputs else outputs[:, :0])


def learn_compiled(core: Core, block: UnitBlock, rates: slice, *, keeps_outputs: bool) -> BlockResult:
    """Learn and evaluate in the compiled core, one learning rate after another."""
    problem = block.problem
    training, evaluation, dtype = problem.training, problem.evaluation, problem.dtype
    unit, parameters = problem.activation.compiled_form, dict(problem.activation.parameters)
    error = problem.error if problem.rule.takes_error_term else get_error_term("difference")
    assert unit is not None
    assert error.compiled_form is not None
    at_rest = np.zeros((1, 1), dtype)
    core.activate(at_rest, at_rest, unit, parameters)  # φ(0), so that nothing is learned beyond the last unit
    continued, start = problem.continued, block.start
    targets = in_vectors(block.training_targets, dtype, at_rest[0, 0])
    n_units, n_evaluated = block.n_units, len(evaluation.targets)
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
        start if continued is not None else block.evaluated_start,
        targets if continued is not None else in_vectors(block.evaluation_targets, dtype, at_rest[0, 0]),
        aligned((core.sequence_room(len(start)), start.shape[1]), dtype),
        *result,
    )
    for epochs in epochs_of_calls(problem, n_units, len(learning_rates)):
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


def epochs_of_calls(problem: Problem, n_units: int, n_rates: int) -> list[slice]:
    """Cut the epochs so that a call ends soon; several learning rates run through all epochs in one call."""
    if n_rates > 1:
        return [slice(0, problem.n_epochs)]
    return calls(problem.n_epochs, operations_of_epoch(problem, n_units))


def operations_of_epoch(problem: Problem, n_units: int) -> int:
    """Return about how many additions an epoch takes, including the evaluation."""
    return problem.n_steps * (problem.n_steps + len(problem.evaluation.targets)) * n_units


def imprint(block: UnitBlock, rates: slice, *, keeps_outputs: bool) -> BlockResult:
    """Evaluate what some learning rates of one trial imprint on a block of output units."""
    problem, n_units, targets = block.problem, block.n_units, block.evaluation_targets
    dtype, learning_rates = problem.dtype, problem.learning_rates[rates]
    start, evaluated_start, within, per_epoch, evaluated_per_epoch = (
        array[:, :n_units] for array in (block.start, block.evaluated_start, *block.imprinted)
    )
    result = BlockResult(
        errors=np.empty((len(learning_rates), len(targets))),
        diverged_at=np.empty(len(learning_rates), np.int64),
        outputs=np.empty((len(learning_rates), len(targets) if keeps_outputs else 0, n_units), dtype),
    )
    with np.errstate(over="ignore", invalid="ignore"):  # of runs that diverge
        for run, eta in enumerate(learning_rates):
            result.diverged_at[run] = first_diverged_step(eta, problem.n_epochs, start, within, per_epoch)
            weight = eta * dtype.type(problem.n_epochs)
            h = activated(problem, evaluated_start + weight * evaluated_per_epoch)
            result.errors[run] = np.abs(h - targets).sum(axis=1, dtype=np.float64)
            if keeps_outputs:
                result.outputs[run] = h
    return result


def first_diverged_step(eta: Any, n_epochs: int, start: Array, within: Array, per_epoch: Array) -> int:
    """Return the first step at which an activity is beyond its bound or not a number, or −1.

    An activity that is within its bound at first moves in one direction from epoch to epoch: once beyond, it
    stays there, and the first such epoch is found by bisection.
    """

    def is_beyond(epoch: int) -> npt.NDArray[np.bool_]:
        a = start + eta * (within + start.dtype.type(epoch) * per_epoch)
        found: npt.NDArray[np.bool_] = np.any(~(np.abs(a) <= LARGEST_PREACTIVATION), axis=1)  # (n_steps,)
        return found

    if is_beyond(0).any():
        return int(is_beyond(0).argmax())
    if not is_beyond(n_epochs - 1).any():
        return NEVER
    below, above = 0, n_epochs - 1
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if is_beyond(middle).any() else (middle, above)
    return above * len(start) + int(is_beyond(above).argmax())


def activated(problem: Problem, a: Array) -> Array:
    """Return φ(a), by the compiled core if there is one: its bits are the same on every processor."""
    if (compiled := core()) is None:
        return problem.activation(a)
    h = np.empty_like(a)
    unit, parameters = problem.activation.compiled_form, dict(problem.activation.parameters)
    assert unit is not None
    compiled.activate(a, h, unit, parameters)
    return h
