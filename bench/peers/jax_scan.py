"""JAX, one run after another: `lax.scan` over the updates, compiled by `jit`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from problems import Array, AutoencoderProblem, LayerProblem

jax.config.update("jax_enable_x64", True)  # problems state their own precision

NAME = "JAX scan"
CHUNKS = (1,)

ACTIVATE = {"sigmoid": jax.nn.sigmoid, "softmax": jax.nn.softmax}


def run_layers(problem: LayerProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the runs and return the mean absolute error of each pattern, (n_runs, n_patterns)."""
    data = patterns_of(problem)
    rates = [np.dtype(problem.dtype).type(problem.learning_rate_of(run)) for run in runs]
    errors = [
        _run(problem.start_of(run), rate, *data, activation=problem.activation)
        for run, rate in zip(runs, rates, strict=True)
    ]
    return np.stack(errors)


def patterns_of(problem: LayerProblem | AutoencoderProblem) -> tuple[Any, ...]:
    """Return the batches, and the patterns to evaluate."""
    batches = jnp.asarray(problem.batched_inputs), jnp.asarray(problem.batched_targets)
    return batches, jnp.asarray(problem.centered_inputs), jnp.asarray(problem.typed_targets)


def learn_and_evaluate(
    weights: Any, eta: Any, batches: Any, inputs: Any, targets: Any, *, activation: str
) -> Any:
    """Train one run on all batches and return its error for each pattern.

    The weights have one row per output, which is the faster layout for `vmap`.
    """
    activate = ACTIVATE[activation]

    def learn_pattern(network: Any, batch: Any) -> tuple[Any, None]:
        (W, b), (x, t) = network, (batch[0][0], batch[1][0])
        post = eta * (activate(W @ x + b) - t)
        return (W - jnp.outer(post, x), b - post), None  # several times faster than a product of matrices

    def learn_batch(network: Any, batch: Any) -> tuple[Any, None]:
        (W, b), (x, t) = network, batch
        post = eta / len(x) * (activate(x @ W.T + b) - t)
        return (W - post.T @ x, b - post.sum(axis=0)), None

    batch_size = batches[0].shape[1]
    start = weights.T, jnp.zeros(weights.shape[1], weights.dtype)
    (W, b), _ = jax.lax.scan(learn_pattern if batch_size == 1 else learn_batch, start, batches)
    return jnp.abs(activate(inputs @ W.T + b) - targets).mean(axis=1)


_run = jax.jit(learn_and_evaluate, static_argnames="activation")


def run_autoencoder(problem: AutoencoderProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the auto-encoder and return the error of each reconstruction, (1, n_patterns)."""
    settings = problem.learning_rate, problem.hidden_shift, problem.hidden_offset
    return np.asarray(_run_autoencoder(problem.start, *patterns_of(problem), *settings))[np.newaxis]


@partial(jax.jit, static_argnames=("learning_rate", "hidden_shift", "hidden_offset"))
def _run_autoencoder(
    weights: Any,
    batches: Any,
    inputs: Any,
    targets: Any,
    learning_rate: float,
    hidden_shift: float,
    hidden_offset: float,
) -> Any:
    eta, nu = learning_rate, hidden_shift

    def update(network: Any, batch: Any) -> tuple[Any, None]:
        (W, c, lam), (x, t) = network, batch
        h = jax.nn.sigmoid(x @ W)
        move = nu * (h.mean(axis=0) - lam)
        error = (h - lam) @ W.T + c - t
        W = W - eta / len(x) * (error.T @ (h - lam))
        return (W, c - eta * error.mean(axis=0) + move @ W.T, lam + move), None

    n_inputs, n_hidden = weights.shape
    start = weights, jnp.zeros(n_inputs, weights.dtype), jnp.full(n_hidden, hidden_offset, weights.dtype)
    (W, c, lam), _ = jax.lax.scan(update, start, batches)
    z = (jax.nn.sigmoid(inputs @ W) - lam) @ W.T + c
    return jnp.abs(z - targets).mean(axis=1)
