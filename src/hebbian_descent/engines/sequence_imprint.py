"""Rules whose updates do not depend on the output: the activities are linear in the learning rate.

Hebb's rule and the covariance rule change the weights by p = η·(t or t − ⟨t⟩) at every step, so that one
product with the couplings serves all learning rates, and no step waits for another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER
from hebbian_descent.engines.ordered_product import product
from hebbian_descent.engines.sequence_loop import BlockResult
from hebbian_descent.engines.sequence_problem import Problem
from hebbian_descent.engines.vectors import as_vectors
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.native import core


def imprint(
    problem: Problem, weights: Array, units: slice, rates: slice, *, keeps_outputs: bool
) -> BlockResult:
    """Evaluate what some learning rates of one trial imprint on a block of output units."""
    training, evaluation, dtype = problem.training, problem.evaluation, problem.dtype
    n_units, learning_rates = units.stop - units.start, problem.learning_rates[rates]
    assert problem.imprinted is not None
    block, learned = (as_vectors(array[:, units]) for array in (weights, problem.imprinted))
    start, within, per_epoch, evaluated_start, evaluated_per_epoch = (
        product(*factors)[:, :n_units]
        for factors in (
            (training.inputs, block),
            (np.tril(training.couplings, -1), learned),
            (training.couplings, learned),
            (evaluation.inputs, block),
            (evaluation.couplings, learned),
        )
    )
    targets = evaluation.targets[:, units]
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
    """Return φ(a), in the compiled core where it is there, whose bits are the same on other processors."""
    if (compiled := core()) is None:
        return problem.activation(a)
    h = np.empty_like(a)
    unit, parameters = problem.activation.compiled_form, dict(problem.activation.parameters)
    assert unit is not None
    compiled.activate(a, h, unit, parameters)
    return h
