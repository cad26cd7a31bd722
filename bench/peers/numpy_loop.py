"""NumPy, one run after another, without temporary matrices as large as the weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from problems import Array, AutoencoderProblem, LayerProblem

NAME = "NumPy loop"
CHUNKS = (1,)


def run_layers(problem: LayerProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the runs and return the mean absolute error of each pattern, (n_runs, n_patterns)."""
    return np.stack([_run(problem, run) for run in runs])


def _run(problem: LayerProblem, run: int) -> Array:
    activate = ACTIVATE[problem.activation]
    W = problem.start_of(run).copy()
    b = np.zeros(problem.n_outputs, W.dtype)
    eta = W.dtype.type(problem.learning_rate_of(run) / problem.batch_size)
    change = np.empty_like(W)
    for x, t in zip(problem.batched_inputs, problem.batched_targets, strict=True):
        post = activate(x @ W + b)
        post -= t
        post *= eta
        if problem.batch_size == 1:
            np.multiply(x.T, post, out=change)  # twice as fast as a matrix product with one term
        else:
            np.matmul(x.T, post, out=change)
        W -= change
        b -= post.sum(axis=0)
    return np.abs(activate(problem.centered_inputs @ W + b) - problem.typed_targets).mean(axis=1)


def run_autoencoder(problem: AutoencoderProblem, runs: Sequence[int], chunk: int) -> Array:
    """Train the auto-encoder and return the error of each reconstruction, (1, n_patterns)."""
    W = problem.start.copy()
    c, lam = np.zeros(problem.n_inputs, W.dtype), np.full(problem.n_hidden, problem.hidden_offset, W.dtype)
    eta, nu = W.dtype.type(problem.learning_rate / problem.batch_size), W.dtype.type(problem.hidden_shift)
    change = np.empty_like(W)
    for x, t in zip(problem.batched_inputs, problem.batched_targets, strict=True):
        h = sigmoid(x @ W)
        move = nu * (h.mean(axis=0) - lam)
        h -= lam
        error = h @ W.T
        error += c - t
        error *= eta
        W -= np.matmul(error.T, h, out=change)
        c -= error.sum(axis=0)
        c += move @ W.T
        lam += move
    z = (sigmoid(problem.centered_inputs @ W) - lam) @ W.T + c
    return np.abs(z - problem.typed_targets).mean(axis=1)[np.newaxis]


def sigmoid(a: Array) -> Array:
    """Return 1/(1 + e⁻ᵃ), overwriting `a`."""
    with np.errstate(over="ignore"):  # e⁻ᵃ = ∞ gives the right 0
        np.exp(np.negative(a, out=a), out=a)
    a += 1
    return np.reciprocal(a, out=a)


def softmax(a: Array) -> Array:
    """Return eᵃ divided by its sum over the units, overwriting `a`."""
    a -= a.max(axis=-1, keepdims=True)
    np.exp(a, out=a)
    a /= a.sum(axis=-1, keepdims=True)
    return a


ACTIVATE: dict[str, Callable[[Array], Array]] = {"sigmoid": sigmoid, "softmax": softmax}
