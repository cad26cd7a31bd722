"""Rules that do not look at the output: all runs add the same change to their weights, times their rate.

Hebb's rule and the covariance rule change the weights by products of inputs and targets. Without decay and
with a fixed offset, W = W₀ + η·G, where G is what a run with η = 1 adds, whatever it started from.
"""

from __future__ import annotations

from array import array
from concurrent.futures import Executor
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import aligned_zeros, whole_vectors
from hebbian_descent.checks import Array
from hebbian_descent.engines.base import NEVER
from hebbian_descent.engines.network_grids import LayerCell, LayerGrid
from hebbian_descent.engines.stacked_inputs import Schedule
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.network.layer import glorot_bound

MARGIN = 1e-3
"""Share of the limit within which an imprint is uncertain: runs start from weights, and round differently."""


class Imprint(NamedTuple):
    """What a run with a learning rate of 1 learns from zero weights."""

    weights: Array
    """G, (n_inputs, n_outputs)."""
    largest: Array
    """The largest |a| up to each step, (n_steps,)."""


class Outlook(NamedTuple):
    """What an imprint predicts for the learning rates, (n_rates,)."""

    diverged_at: npt.NDArray[np.int64]
    """The step at which all runs of a rate diverge, or −1."""
    is_certain: npt.NDArray[np.bool_]
    """Whether that is certain; otherwise the rate must be run step by step."""


def imprints(cell: LayerCell, grid: LayerGrid) -> bool:
    """Return whether the weights of all runs follow from an imprint."""
    return not cell.rule.looks_at_output and cell.weight_decay == 0 and grid.shift == 0


def imprint(schedule: Schedule, pool: Executor, memory_budget: int) -> Imprint:
    """Take all steps once."""
    (_, n_inputs), n_outputs = schedule.pairs.inputs.shape, schedule.pairs.targets.shape[1]
    dtype = schedule.grid.dtype
    weights = aligned_zeros((n_inputs, whole_vectors(n_outputs, dtype.itemsize)), dtype)
    no_bias, largest = np.zeros_like(weights[0]), array("d")
    with np.errstate(over="ignore", invalid="ignore"):
        for block in chain.from_iterable(schedule.blocks(pool, memory_budget)):
            for step in range(block.n_steps):
                post = block.targets[slice(*block.bounds[step : step + 2])]
                a, p = np.zeros((2, len(post), weights.shape[1]), weights.dtype)
                block.batches.multiply(step, weights, no_bias, a)
                largest.append(np.abs(a).max())
                p[:, :n_outputs] = post / -len(post)
                block.batches.learn(step, 1.0, p, weights)
    growing = np.maximum.accumulate(np.asarray(largest))  # NaN stays NaN
    return Imprint(weights[:, :n_outputs], growing)


def outlook(found: Imprint, schedule: Schedule) -> Outlook:
    """Predict which rates take |a| = |(x − μ)(W₀ + η·G)| beyond the limit of divergence, and when.

    Nothing is certain where the initial weights contribute more than a small part.
    """
    margin = MARGIN * LARGEST_PREACTIVATION
    longest = np.abs(schedule.pairs.inputs - schedule.offset).sum(axis=1).max()
    of_start = longest * glorot_bound(*found.weights.shape)
    rates = np.array(schedule.grid.learning_rates)
    with np.errstate(over="ignore"):
        misses_by = np.abs(rates * found.largest[-1] - LARGEST_PREACTIVATION)
        first_beyond = np.searchsorted(found.largest, LARGEST_PREACTIVATION / rates, side="right")
    return Outlook(
        diverged_at=np.where(first_beyond < len(found.largest), first_beyond, NEVER),
        is_certain=(misses_by > 2 * margin) & (of_start < margin),
    )
