"""Small auto-encoders for studies: half of some patterns to learn, the other half to reconstruct."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.datasets import load
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.run import Training
from hebbian_descent.network import Autoencoder
from hebbian_descent.rules import AutoRule


def halves(dataset: str, n: int, draw: int) -> tuple[Array, Array]:
    """Return n patterns to learn and n others, drawn from the training set."""
    inputs = load(dataset).train.inputs
    chosen = np.random.default_rng((draw, 0)).choice(len(inputs), 2 * n, replace=False)
    return inputs[chosen[:n]], inputs[chosen[n:]]


def new_autoencoder(inputs: Array, draw: int, hidden: str, output: str) -> Autoencoder:
    """Return an auto-encoder centered on the inputs, with a quarter as many hidden units, as in the paper."""
    n_inputs = inputs.shape[1]
    return Autoencoder.create(
        n_inputs,
        int(n_inputs / 4 + 0.5),
        hidden_activation=hidden,
        output_activation=output,
        offset=inputs.mean(axis=0),
        rng=np.random.default_rng((draw, 1)),
    )


def error_of(network: Autoencoder, others: Array) -> float:
    """Return the mean absolute error of reconstructed patterns."""
    return float(np.abs(network.reconstruct(others) - others).mean())


def best_error(
    start: Autoencoder,
    rule: str | AutoRule | Callable[[], AutoRule],
    learned: Array,
    others: Array,
    rates: Iterable[float],
    *,
    epochs: int,
    **training: Any,
) -> dict[str, float]:
    """Return the least error over learning rates on the other patterns, and its rate.

    A rule that draws random numbers is made anew for each rate.
    """
    errors = {}
    for rate in rates:
        network = start.copy()
        fresh = rule if isinstance(rule, str | AutoRule) else rule()
        try:
            Training(fresh, learning_rate=rate, **training).run(network, learned, epochs=epochs)
        except DivergenceError:
            continue
        errors[rate] = error_of(network, others)
    best = min(errors, key=errors.__getitem__)
    return {"error": errors[best], "learning_rate": best}
