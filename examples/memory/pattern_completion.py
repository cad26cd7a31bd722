"""How well each kind of auto-association completes damaged patterns: the table of docs/memory.md.

python examples/memory/pattern_completion.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from hebbian_descent import AssociativeMemory, datasets, patterns
from hebbian_descent.measures import identified, mean_absolute_error

N_PATTERNS = 50
DAMAGE: dict[str, dict[str, Any]] = {
    "none": {},
    "10 % flipped": {"flip": 0.1},
    "half erased": {"erase": 0.5},
}


def pattern_sets() -> dict[str, Any]:
    """Return the patterns to store, 50 of each kind."""
    return {
        "sparse": patterns.sparse(N_PATTERNS, 200, activity=0.1, seed=0),
        "rand": datasets.draw_patterns("rand", N_PATTERNS, seed=0)[0],
        "digits": datasets.draw_patterns("digits", N_PATTERNS, seed=0)[0],
    }


def kinds(n_units: int) -> dict[str, dict[str, Any]]:
    """Return the settings of each kind of auto-association."""
    others_only = ~np.eye(n_units, dtype=bool)
    return {
        "layer": {"auto": "layer"},
        "layer, no self-connections": {"auto": "layer", "connectivity": others_only},
        "autoencoder": {"auto": "autoencoder", "n_hidden": n_units},
    }


def rows() -> Iterator[list[str]]:
    """Yield the lines of the table: error and share of identified patterns for each damage."""
    for name, x in pattern_sets().items():
        cues = [patterns.corrupt(x, **damage, seed=1) for damage in DAMAGE.values()]
        yield [name, "the cue itself", "", *(_cell(x, cue) for cue in cues)]
        for kind, settings in kinds(x.shape[1]).items():
            memory = AssociativeMemory(x.shape[1], **settings)
            for passes in range(1, 11):
                memory.store(x)
                if passes in (1, 10):
                    yield [name, kind, str(passes), *(_cell(x, memory.recall(cue)) for cue in cues)]


def _cell(x: Any, recalled: Any) -> str:
    error, found = mean_absolute_error(x, recalled).mean(), identified(x, recalled).mean()
    return f"{error:.3f} ({100 * found:.0f} %)"


if __name__ == "__main__":
    head = ["patterns", "recalled by", "times stored", *DAMAGE]
    for line in (head, ["---"] * len(head), *rows()):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
