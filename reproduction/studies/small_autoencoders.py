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
from reproduction.experiments.auto_association import n_hidden
from reproduction.studies.base import Numbers


def halves(dataset: str, n: int, draw: int) -> tuple[Array, Array]:
    """Return n patterns to learn and n others, drawn from the training set."""
    inputs = load(dataset).train.inputs
    if 2 * n > len(inputs):
        raise ValueError(f"There must be at most {len(inputs) // 2} patterns of {dataset} to learn. Got {n}.")
    chosen = np.random.default_rng((draw, 0)).choice(len(inputs), 2 * n, replace=False)
    return inputs[chosen[:n]], inputs[chosen[n:]]


def new_autoencoder(inputs: Array, draw: int, hidden: str, output: str) -> Autoencoder:
    """Return an auto-encoder centered on the inputs, with a quarter as many hidden units, as in the paper."""
    return Autoencoder.create(
        inputs.shape[1],
        n_hidden(inputs.shape[1]),
        hidden_activation=hidden,
        output_activation=output,
        offset=inputs.mean(axis=0),
        rng=np.random.default_rng((draw, 1)),
    )


def best_error(
    start: Autoencoder,
    make_rule: Callable[[], str | AutoRule],
    learned: Array,
    others: Array,
    rates: Iterable[float],
    *,
    epochs: int,
    **training: Any,
) -> Numbers:
    """Return the least error over learning rates on the other patterns, and its rate."""
    errors = {}
    for rate in rates:
        network = start.copy()
        try:
            Training(make_rule(), learning_rate=rate, **training).run(network, learned, epochs=epochs)
        except DivergenceError:
            continue
        errors[rate] = float(np.abs(network.reconstruct(others) - others).mean())
    if not errors:
        raise ValueError(f"One of the learning rates must not diverge. Got {list(rates)}: try smaller ones.")
    best = min(errors, key=errors.__getitem__)
    return {"error": errors[best], "rate": best}
