"""Where each run starts: weights that follow from a seed and the number of the trial alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count
from hebbian_descent.network import glorot_uniform


def initial_weights(
    seed: int, trial: int, n_inputs: int, n_outputs: int, *, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Return the weights that a trial of a sweep starts from, the same for all rules and learning rates.

    >>> initial_weights(0, 7, n_inputs=200, n_outputs=100).shape
    (200, 100)
    """
    seed, trial = as_count(seed, "seed", at_least=0), as_count(trial, "trial", at_least=0)
    return glorot_uniform(n_inputs, n_outputs, rng=np.random.default_rng((seed, trial)), dtype=dtype)
