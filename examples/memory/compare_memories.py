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

N_UNITS, N_DRAWS = 200, 2
SETTINGS = {"50 sparse": (50, 0.1), "50 dense": (50, 0.5), "400 sparse": (400, 0.1)}
"""Number of patterns, and the share of active units."""
N_RECENT = 20
OTHERS = ~np.eye(N_UNITS, dtype=bool)


def memories(activity: float) -> dict[str, Memory]:
    """Return an empty memory of each kind, for patterns with this share of active units."""
    return {
        "`AssociativeMemory`": AssociativeMemory(N_UNITS, auto="layer"),
        "the same, no self-connections": AssociativeMemory(N_UNITS, auto="layer", connectivity=OTHERS),
        "`HopfieldMemory`": HopfieldMemory(N_UNITS, activity=activity),
        "`PseudoInverseMemory`": PseudoInverseMemory(N_UNITS),
        "`WillshawMemory`": WillshawMemory(N_UNITS, n_winners=round(activity * N_UNITS)),
        "`DenseAssociativeMemory`": DenseAssociativeMemory(N_UNITS),
        "`SparseDistributedMemory`": SparseDistributedMemory(N_UNITS),
    }


def rows() -> Iterator[list[str]]:
    """Yield the size of each memory with 400 patterns, and its recall errors."""
    yield ["the cue itself", "", *["0.100 (100 %)"] * (len(SETTINGS) + 1)]
    for name in memories(0.1):
        cells, n_bytes = [], 0
        for n_stored, activity in SETTINGS.values():
            found = []
            for draw in range(N_DRAWS):
                memory = memories(activity)[name]
                x = patterns.sparse(n_stored, N_UNITS, activity=activity, seed=draw)
                memory.store(x)
                found.append(_measured(memory, x, draw))
                n_bytes = memory.n_bytes
            error, right = np.mean(found, axis=0)
            cells.append(_cell(error.mean(), right.mean()))
        cells.append(_cell(error[-N_RECENT:].mean(), right[-N_RECENT:].mean()))
        yield [name, f"{n_bytes / 1000:.0f}", *cells]


def _cell(error: float, right: float) -> str:
    return f"{error:.3f} ({100 * right:.0f} %)"


def _measured(memory: Memory, x: Any, draw: int) -> tuple[Any, Any]:
    cues = patterns.corrupt(x, flip=0.1, seed=100 + draw)
    output = memory.recall(cues, 10, between="threshold", until="converged")
    return mean_absolute_error(x, output), identified(x, output)  # one number per pattern each


if __name__ == "__main__":
    head = ["memory", "kilobytes", *SETTINGS, f"last {N_RECENT} of them"]
    for line in (head, ["---"] * len(head), *rows()):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
