"""What the automatic learning rate costs, beside the best of 35 fixed ones: a table of docs/memory.md.

python examples/memory/automatic_rate.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from hebbian_descent import AssociativeMemory, datasets
from hebbian_descent.paper.grids import LEARNING_RATES
from hebbian_descent.sweep import sweep

PAIRS = [
    ("rand", "rand"),
    ("rand", "digits"),
    ("rand", "connect_positions"),
    ("digits", "rand"),
    ("connect_positions", "digits"),
]
ACTIVATIONS = ("sigmoid", "step", "linear", "rectifier", "explin")
N_TRIALS = 5


def rows() -> Iterator[list[str]]:
    """Yield the lines of the table: error of automatic steps over that of the best fixed rate."""
    for input_name, target_name in PAIRS:
        x, t = datasets.draw_pair(input_name, target_name, 100, seed=0)
        for activation in ACTIVATIONS:
            automatic = _automatic(x, t, activation)
            fixed = sweep(
                x,
                t,
                rules="hebbian_descent",
                activations=activation,
                learning_rates=LEARNING_RATES,
                trials=N_TRIALS,
                centering="moving",
            )
            best = [float(fixed.costs(by).min()) for by in ("last20", "all")]
            yield [
                f"{input_name} → {target_name}",
                activation,
                *(f"{ours:.3f} / {theirs:.3f}" for ours, theirs in zip(automatic, best, strict=True)),
            ]


def _automatic(x: Any, t: Any, activation: str) -> tuple[float, float]:
    errors = []
    for seed in range(N_TRIALS):
        memory = AssociativeMemory(x.shape[1], t.shape[1], activation=activation, seed=seed)
        memory.store(x, t)
        errors.append(np.abs(memory.recall(x) - t).mean(axis=1))
    error = np.mean(errors, axis=0)
    return float(error[-20:].mean()), float(error.mean())


if __name__ == "__main__":
    head = ["pairs", "units", "last 20: automatic / best fixed", "all 100: automatic / best fixed"]
    for line in (head, ["---"] * len(head), *rows()):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
