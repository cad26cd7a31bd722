"""Rules that do not look at the output: what one run adds to its weights, all runs add, times their rate.

Hebb's rule and the covariance rule change the weights by products of inputs and targets. Without decay and
with an offset that stays, W = W₀ + η·G, where G is what a run with η = 1 adds, whatever it started from.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.kernels.products import subtract_product
from hebbian_descent.network.initial_weights import glorot_bound
from hebbian_descent.rules.base import Activity
from hebbian_descent.sweep.setting import Cell, Setting
from hebbian_descent.sweep.stacked_inputs import padded
from hebbian_descent.sweep.stacked_steps import Steps
from hebbian_descent.training import LARGEST_PREACTIVATION


class Imprint(NamedTuple):
    """What a run with a learning rate of 1 that starts from nothing has learned."""

    weights: Array
    """G, (n_inputs, n_outputs)."""
    largest: float
    """The largest |a| that it came across."""


def imprints(cell: Cell, setting: Setting) -> bool:
    """Return whether the weights of all runs follow from an imprint."""
    ignores_output = cell.rule.is_built_in and cell.rule.name in ("hebb", "covariance")
    return ignores_output and cell.weight_decay == 0 and setting.shift == 0


def imprint(cell: Cell, setting: Setting, steps: Steps, pool: Executor, memory_budget: int) -> Imprint:
    """Take all steps once."""
    (_, n_inputs), n_outputs = steps.pairs.inputs.shape, steps.pairs.targets.shape[1]
    weights, largest = padded(np.zeros((n_inputs, n_outputs), setting.dtype)), 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for prepared in steps.prepared(pool, memory_budget):
            for step in prepared:
                a = step.batch.product(weights)[:, :n_outputs]
                largest = np.maximum(largest, np.abs(a).max())  # keeps what is not a number
                pre, post = cell.rule.factors(
                    Activity(
                        inputs=steps.pairs.inputs[step.rows],
                        offset=step.offset,
                        targets=step.targets,
                        preactivation=a,
                        output=a,
                        activation=cell.activation,
                        error=setting.error,
                        mean_input=steps.means[0],
                        mean_target=steps.means[1],
                    )
                )
                subtract_product(weights, pre, padded(post / len(pre)))
    return Imprint(weights[:, :n_outputs], float(largest))


def stays_finite(found: Imprint, setting: Setting, steps: Steps) -> npt.NDArray[np.bool_]:
    """Return which learning rates keep |a| = |(x − μ)(W₀ + η·G)| far from where learning counts as diverged.

    The others have to be run step by step, to see whether they diverge.
    """
    longest = np.abs(steps.pairs.inputs - steps.offset).sum(axis=1).max()
    of_start = longest * glorot_bound(*found.weights.shape)
    bounds = of_start + np.array(setting.learning_rates) * found.largest
    return np.asarray(bounds < LARGEST_PREACTIVATION / 2)
