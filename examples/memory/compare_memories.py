"""The same patterns in every memory: a table of docs/memory.md.

python examples/memory/compare_memories.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from hebbian_descent import patterns
from hebbian_descent.measures import identified, mean_absolute_error
from hebbian_descent.memory import (
    AssociativeMemory,
    DenseAssociativeMemory,
    HopfieldMemory,
    Memory,
    PseudoInverseMemory,
    SparseDistributedMemory,
    WillshawMemory,
)

N_UNITS, ACTIVITY = 200, 0.1
N_STORED = (50, 400)
N_DRAWS = 3


def memories() -> dict[str, Memory]:
    """Return an empty memory of each kind, for patterns with 20 of 200 units on."""
    return {
        "`AssociativeMemory`": AssociativeMemory(N_UNITS, auto="layer"),
        "`HopfieldMemory`": HopfieldMemory(N_UNITS, activity=ACTIVITY),
        "`PseudoInverseMemory`": PseudoInverseMemory(N_UNITS),
        "`WillshawMemory`": WillshawMemory(N_UNITS, n_winners=20),
        "`DenseAssociativeMemory`": DenseAssociativeMemory(N_UNITS),
        "`SparseDistributedMemory`": SparseDistributedMemory(N_UNITS),
    }


def rows() -> Iterator[list[str]]:
    """Yield bytes, and errors for all and the last 20 patterns, with a tenth of the units of each flipped."""
    for name in memories():
        cells, n_bytes = [], 0
        for n_stored in N_STORED:
            found = []
            for draw in range(N_DRAWS):
                memory = memories()[name]
                x = patterns.sparse(n_stored, N_UNITS, activity=ACTIVITY, seed=draw)
                memory.store(x)
                found.append(_measured(memory, x, draw))
                n_bytes = memory.n_bytes
            error, recent, right = np.mean(found, axis=0)
            cells += [f"{error:.3f} ({100 * right:.0f} %)", f"{recent:.3f}"]
        yield [name, f"{n_bytes / 1000:.0f}", *cells]


def _measured(memory: Memory, x: Any, draw: int) -> tuple[float, float, float]:
    cues = patterns.corrupt(x, flip=0.1, seed=100 + draw)
    output = memory.recall(cues, 10, between="threshold", until="converged")
    error = mean_absolute_error(x, output)
    return float(error.mean()), float(error[-20:].mean()), float(identified(x, output).mean())


if __name__ == "__main__":
    head = ["memory", "kilobytes"]
    for n in N_STORED:
        head += [f"{n} stored", f"last 20 of {n}"]
    for line in (head, ["---"] * len(head), *rows()):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
