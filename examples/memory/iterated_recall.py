"""The effect of operations between recall steps: two tables of docs/memory.md.

python examples/memory/iterated_recall.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from hebbian_descent import AssociativeMemory, datasets, patterns
from hebbian_descent.measures import identified, mean_absolute_error
from hebbian_descent.memory import winners

N_UNITS, ACTIVITY, N_DRAWS = 200, 0.1, 3
BETWEEN: dict[str, Any] = {"nothing": None, "threshold": "threshold", "20 winners": winners(20)}
STEPS = (1, 3, 20)
TIMES_STORED = (1, 3)


def recall_rows() -> Iterator[list[str]]:
    """Yield error and share of identified patterns after some steps, from cues with a tenth flipped."""
    for kind in ("sparse, stored once", "digits, stored ten times"):
        for name, between in BETWEEN.items():
            if kind.startswith("digits") and name == "20 winners":
                continue  # grey images have no fixed number of active units
            found = np.array([_recalled(kind, draw, between) for draw in range(N_DRAWS)])
            yield [kind, name, *(f"{error:.3f} ({100 * right:.0f} %)" for error, right in found.mean(axis=0))]


def replay_rows() -> Iterator[list[str]]:
    """Yield how many of the 99 patterns after the first are replayed before one is mistaken for another."""
    for name, between in BETWEEN.items():
        found = [[_replayed(draw, times, between) for times in TIMES_STORED] for draw in range(N_DRAWS)]
        yield [name, *(f"{n:.0f}" for n in np.mean(found, axis=0))]


def _recalled(kind: str, draw: int, between: Any) -> list[tuple[float, float]]:
    if kind.startswith("digits"):
        x, times = datasets.draw_patterns("digits", 50, seed=draw)[0], 10
    else:
        x, times = patterns.sparse(50, N_UNITS, activity=ACTIVITY, seed=draw), 1
    memory = AssociativeMemory(x.shape[1], auto="layer")
    for _ in range(times):
        memory.store(x)
    cues = patterns.corrupt(x, flip=0.1, seed=100 + draw)
    outputs = [memory.recall(cues, steps, between=between) for steps in STEPS]
    return [(float(mean_absolute_error(x, h).mean()), float(identified(x, h).mean())) for h in outputs]


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
    for head, rows in (
        (["patterns", "between steps", *(f"{n} step{'s' * (n > 1)}" for n in STEPS)], recall_rows()),
        (["between steps", "stored once", "stored three times"], replay_rows()),
    ):
        yield head
        yield ["---"] * len(head)
        yield from rows


if __name__ == "__main__":
    for line in tables():
        sys.stdout.write(f"| {' | '.join(line)} |\n")
