"""Rules that do not look at the output: what one run adds to its weights, all runs add, times their rate.

Hebb's rule and the covariance rule change the weights by products of inputs and targets. Without decay and
with an offset that stays, W = W₀ + η·G, where G is what a run with η = 1 adds, whatever it started from.
"""

from __future__ import annotations

from array import array
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER
from hebbian_descent.engines.setting import Cell, Setting
from hebbian_descent.engines.stacked_inputs import padded
from hebbian_descent.engines.stacked_steps import Steps
from hebbian_descent.kernels.products import subtract_product
from hebbian_descent.learning.run import LARGEST_PREACTIVATION
from hebbian_descent.network.initial_weights import glorot_bound
from hebbian_descent.rules.base import Activity

MARGIN = 1e-3
"""Of the limit, what an imprint does not tell for certain: runs start from weights, and round otherwise."""


class Imprint(NamedTuple):
    """What a run with a learning rate of 1 that starts from nothing has learned."""

    weights: Array
    """G, (n_inputs, n_outputs)."""
    largest: Array
    """The largest |a| that it came across up to each step, (n_steps,)."""


class Outlook(NamedTuple):
    """What an imprint tells about the learning rates, (n_rates,)."""

    diverged_at: npt.NDArray[np.int64]
    """The step at which all runs of a rate diverge, or −1."""
    is_certain: npt.NDArray[np.bool_]
    """Whether that is sure; otherwise the rate has to be run step by step."""


def imprints(cell: Cell, setting: Setting) -> bool:
    """Return whether the weights of all runs follow from an imprint."""
    return not cell.rule.looks_at_output and cell.weight_decay == 0 and setting.shift == 0


def imprint(cell: Cell, setting: Setting, steps: Steps, pool: Executor, memory_budget: int) -> Imprint:
    """Take all steps once."""
    (_, n_inputs), n_outputs = steps.pairs.inputs.shape, steps.pairs.targets.shape[1]
    weights, largest = padded(np.zeros((n_inputs, n_outputs), setting.dtype)), array("d")
    with np.errstate(over="ignore", invalid="ignore"):
        for prepared in steps.prepared(pool, memory_budget):
            for step in prepared:
                a = step.batch.product(weights)[:, :n_outputs]
                largest.append(np.abs(a).max())
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
    growing = np.maximum.accumulate(np.asarray(largest))  # what is not a number stays so
    return Imprint(weights[:, :n_outputs], growing)


def outlook(found: Imprint, setting: Setting, steps: Steps) -> Outlook:
    """Tell which rates take |a| = |(x − μ)(W₀ + η·G)| to where learning counts as diverged, and when.

    Nothing is certain where the initial weights have more than a small part in it.
    """
    margin = MARGIN * LARGEST_PREACTIVATION
    longest = np.abs(steps.pairs.inputs - steps.offset).sum(axis=1).max()
    of_start = longest * glorot_bound(*found.weights.shape)
    rates = np.array(setting.learning_rates)
    with np.errstate(over="ignore"):
        misses_by = np.abs(rates * found.largest[-1] - LARGEST_PREACTIVATION)
        first_beyond = np.searchsorted(found.largest, LARGEST_PREACTIVATION / rates, side="right")
    return Outlook(
        diverged_at=np.where(first_beyond < len(found.largest), first_beyond, NEVER),
        is_certain=(misses_by > 2 * margin) & (of_start < margin),
    )
