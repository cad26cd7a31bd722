"""JAX, several runs at once: `vmap` of the scan over the runs, compiled by `jit`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
from problems import Array, LayerProblem

from peers.jax_scan import learn_and_evaluate, patterns_of

NAME = "JAX vmap"
CHUNKS = (7, 35)


def run_layers(problem: LayerProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the runs and return the mean absolute error of each pattern, (n_runs, n_patterns)."""
    data = patterns_of(problem)
    errors = []
    for start in range(0, len(runs), chunk):
        members = runs[start : start + chunk]
        weights = np.stack([problem.start_of(run) for run in members])
        rates = np.array([problem.learning_rate_of(run) for run in members], problem.dtype)
        errors.append(np.asarray(_run(weights, rates, *data, activation=problem.activation)))
    return np.concatenate(errors)


@partial(jax.jit, static_argnames="activation")
def _run(weights: Any, rates: Any, *data: Any, activation: str) -> Any:
    run = partial(learn_and_evaluate, activation=activation)
    return jax.vmap(run, in_axes=(0, 0, None, None, None))(weights, rates, *data)
