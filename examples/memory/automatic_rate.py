"""The automatic learning rate compared with the best of 35 fixed ones: a table of docs/memory.md.

python examples/memory/automatic_rate.py
python examples/memory/automatic_rate.py --choose   # the same for several κ, on other patterns and weights
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from hebbian_descent import AssociativeMemory, DivergenceError, datasets
from hebbian_descent.learning.rates import KAPPAS
from hebbian_descent.sweep import sweep
from hebbian_descent.sweep.grids import LEARNING_RATES

PAIRS = [
    ("rand", "rand"),
    ("rand", "digits"),
    ("rand", "connect_positions"),
    ("digits", "rand"),
    ("connect_positions", "digits"),
]
ACTIVATIONS = ("sigmoid", "step", "linear", "rectifier", "explin")
N_TRIALS = 5


CANDIDATES = (0.7, 1.0, 1.4, 2.0, 2.8)
SHOWN, CHOOSING = 0, 1


def rows() -> Iterator[list[str]]:
    """Yield the lines of the table: the errors with the automatic rate and with the best fixed rate."""
    for pair in PAIRS:
        x, t = datasets.draw_pair(*pair, 100, seed=SHOWN)
        for activation in ACTIVATIONS:
            both = zip(_automatic(x, t, activation, SHOWN), _best_fixed(x, t, activation), strict=True)
            yield [" → ".join(pair), activation, *(f"{ours:.3f} / {theirs:.3f}" for ours, theirs in both)]


def choices() -> Iterator[list[str]]:
    """Yield the lines of a table: for each κ, the largest ratio to the best fixed rate over all pairs."""
    for activation in ACTIVATIONS:
        pairs = [datasets.draw_pair(*pair, 100, seed=CHOOSING) for pair in PAIRS]
        best = [_best_fixed(x, t, activation)[1] for x, t in pairs]
        cells = []
        for kappa in CANDIDATES:
            chosen = KAPPAS["remember"].copy()
            KAPPAS["remember"][activation] = kappa
            try:
                found = [_automatic(x, t, activation, CHOOSING)[1] for x, t in pairs]
            except DivergenceError:
                cells.append("diverges")
            else:
                cells.append(f"{max(np.divide(found, best)):.2f}")
            finally:
                KAPPAS["remember"].clear()
                KAPPAS["remember"].update(chosen)
        yield [activation, *cells]


def _best_fixed(x: Any, t: Any, activation: str) -> tuple[float, float]:
    fixed = sweep(
        x,
        t,
        rules="hebbian_descent",
        activations=activation,
        learning_rates=LEARNING_RATES,
        trials=N_TRIALS,
        centering="moving",
    )
    return float(fixed.costs("last20").min()), float(fixed.costs("all").min())


def _automatic(x: Any, t: Any, activation: str, seed: int) -> tuple[float, float]:
    errors = []
    for start in range(seed * N_TRIALS, (seed + 1) * N_TRIALS):
        memory = AssociativeMemory(x.shape[1], t.shape[1], activation=activation, seed=start)
        memory.store(x, t)
        errors.append(np.abs(memory.recall(x) - t).mean(axis=1))
    error = np.mean(errors, axis=0)
    return float(error[-20:].mean()), float(error.mean())


if __name__ == "__main__":
    if "--choose" in sys.argv:
        head, body = ["units", *(f"κ = {kappa:g}" for kappa in CANDIDATES)], choices()
    else:
        head = ["pairs", "units", "last 20: automatic / best fixed", "all 100: automatic / best fixed"]
        body = rows()
    for line in chain((head, ["---"] * len(head)), body):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
        sys.stdout.flush()
