"""What happens between the steps of recall decides where it ends: two tables of docs/memory.md.

python examples/memory/iterated_recall.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from hebbian_descent import AssociativeMemory, patterns
from hebbian_descent.measures import identified, mean_absolute_error
from hebbian_descent.memory import winners

N_UNITS, ACTIVITY, N_DRAWS = 200, 0.1, 5
BETWEEN: dict[str, Any] = {"nothing": None, "threshold": "threshold", "20 winners": winners(20)}
STEPS = (1, 3, 20)
TIMES_STORED = (1, 3)


def recall_rows() -> Iterator[list[str]]:
    """Yield error and share of identified patterns after some steps, from cues with a tenth flipped."""
    for name, between in BETWEEN.items():
        found = np.array([[_recalled(draw, steps, between) for steps in STEPS] for draw in range(N_DRAWS)])
        yield [name, *(f"{error:.3f} ({100 * right:.0f} %)" for error, right in found.mean(axis=0))]


def replay_rows() -> Iterator[list[str]]:
    """Yield how many of the 99 patterns after the first are replayed before one is mistaken for another."""
    for name, between in BETWEEN.items():
        found = [[_replayed(draw, times, between) for times in TIMES_STORED] for draw in range(N_DRAWS)]
        yield [name, *(f"{n:.0f}" for n in np.mean(found, axis=0))]


def _recalled(draw: int, steps: int, between: Any) -> tuple[float, float]:
    x = patterns.sparse(50, N_UNITS, activity=ACTIVITY, seed=draw)
    memory = AssociativeMemory(N_UNITS, auto="layer")
    memory.store(x)
    output = memory.recall(patterns.corrupt(x, flip=0.1, seed=100 + draw), steps, between=between)
    return float(mean_absolute_error(x, output).mean()), float(identified(x, output).mean())


def _replayed(draw: int, times: int, between: Any) -> int:
    sequence = patterns.sparse(100, N_UNITS, activity=ACTIVITY, seed=draw)
    memory = AssociativeMemory(N_UNITS, N_UNITS)
    for _ in range(times):
        memory.store_sequence(sequence)
    replayed = memory.replay(sequence[0], 99, between=between)
    right = identified(sequence, np.vstack([sequence[:1], replayed]))[1:] > 0
    return 99 if right.all() else int(right.argmin())


def tables() -> Iterator[list[str]]:
    """Yield the lines of both tables."""
    for first, columns, rows in (
        ("between steps", [f"{n} step{'s' * (n > 1)}" for n in STEPS], recall_rows()),
        ("between steps", ["stored once", "stored three times"], replay_rows()),
    ):
        yield [first, *columns]
        yield ["---"] * (len(columns) + 1)
        yield from rows


if __name__ == "__main__":
    for line in tables():
        sys.stdout.write(f"| {' | '.join(line)} |\n")
