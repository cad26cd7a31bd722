"""One-shot storage of sequences in a small hippocampus: what does the dentate gyrus do for it?

python examples/memory/hippocampus.py            # measures for some minutes, writes hippocampus.json, figure and table
python examples/memory/hippocampus.py --table    # writes figure and table from hippocampus.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import patterns
from hebbian_descent.measures import identified, pearson_correlation
from hebbian_descent.memory import Area, AssociativeMemory, Chain, random_projection
from hebbian_descent.table_formats import TextTable, markdown_text

ROOT = Path(__file__).parent.parent.parent
RESULTS = Path(__file__).with_suffix(".json")
FIGURE = ROOT / "docs" / "figures" / "hippocampus.svg"
PAGE = ROOT / "docs" / "circuits.md"
START, END = "<!-- hippocampus: start -->", "<!-- hippocampus: end -->"

ACTIVITY = {"EC": 0.35, "DG": 0.005, "CA3": 0.032}
"""Share of active units."""
N_DRAWS = 10
LENGTH = 100
N_REPLAYED = 5
KINDS = {
    "independent": lambda n, size, seed: patterns.sparse(n, size, ACTIVITY["EC"], seed),
    "neighbours correlated by 0.5": lambda n, size, seed: drifting(n, size, 0.5, seed),
    "neighbours correlated by 0.9": lambda n, size, seed: drifting(n, size, 0.9, seed),
    "all correlated by 0.5": lambda n, size, seed: alike(n, size, 0.5, seed),
    "all correlated by 0.9": lambda n, size, seed: alike(n, size, 0.9, seed),
}
NOISE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
LENGTHS = (50, 100, 150, 200, 250, 300, 400, 500)
N_SEQUENCES = 10
SEQUENCE = 20


def drifting(n: int, size: int, correlation: float, seed: int) -> Any:
    """Return patterns whose neighbours correlate: f + r(1 − f) of the active units stay on."""
    f = ACTIVITY["EC"]
    return patterns.drifting(n, size, f, f + correlation * (1 - f), seed)


def alike(n: int, size: int, correlation: float, seed: int) -> Any:
    """Return patterns of one prototype."""
    return patterns.correlated(n, size, ACTIVITY["EC"], correlation, seed)


def hippocampus(intrinsic: Any, *, dentate_gyrus: bool = True, factor: int = 2, seed: int = 0) -> Chain:
    """Return entorhinal cortex → dentate gyrus → CA3 → entorhinal cortex, before anything is stored.

    The way into the dentate gyrus is fixed and random. CA3 runs through its intrinsic sequence by itself,
    which its recurrent projection has learned beforehand. The projections into and out of CA3 are plastic.
    """
    ec, dg, ca3 = (Area(name, size, k) for name, size, k in sizes(factor))
    recurrent = AssociativeMemory(ca3.n_units, ca3.n_units)
    for _ in range(5):
        recurrent.store_sequence(intrinsic)
    way_in = (
        [random_projection(ec.n_units, dg.n_units, seed=seed), AssociativeMemory(dg.n_units, ca3.n_units)]
        if dentate_gyrus
        else [AssociativeMemory(ec.n_units, ca3.n_units)]
    )
    areas = [ec, *([dg] if dentate_gyrus else []), ca3, Area("output", ec.n_units)]
    way_out = AssociativeMemory(ca3.n_units, ec.n_units)
    return Chain(areas, [*way_in, way_out], recurrent={"CA3": recurrent})


def sizes(factor: int) -> list[tuple[str, int, int | None]]:
    """Return name, number of units and winners of each area; the cortex shows what it is shown."""
    counts = {"EC": 110 * factor, "DG": 1200 * factor, "CA3": 250 * factor}
    return [
        (name, n, None if name == "EC" else max(round(ACTIVITY[name] * n), 1)) for name, n in counts.items()
    ]


def intrinsic_sequence(n: int, factor: int, seed: int) -> Any:
    """Return the states of CA3, one per step."""
    return patterns.sparse(n, 250 * factor, ACTIVITY["CA3"], seed + 1000)


def replayed(chain: Chain, x: Any, cues: Any) -> dict[str, float]:
    """Cue every pattern but the last few and compare what follows with what was stored."""
    n = len(x) - N_REPLAYED
    after = chain.replay(cues[:n], N_REPLAYED).reshape(n * N_REPLAYED, -1)
    right = np.concatenate([x[start + 1 : start + 1 + N_REPLAYED] for start in range(n)])
    places = np.concatenate([np.arange(start + 1, start + 1 + N_REPLAYED) for start in range(n)])
    # The nearest of the stored patterns, all of which are candidates, not only those that are right somewhere.
    distance = (x * x).sum(axis=1) - 2 * after @ x.T
    return {
        "identified": float((distance.argmin(axis=1) == places).mean()),
        "correlation": float(pearson_correlation(right, after).mean()),
    }


def measure(kind: str, n: int, *, dentate_gyrus: bool, noise: float = 0.0, factor: int = 2, seed: int) -> dict[str, float]:
    """Store one sequence in a new hippocampus, and recall it from each of its patterns."""
    x, states = KINDS[kind](n, 110 * factor, seed), intrinsic_sequence(n, factor, seed)
    chain = hippocampus(states, dentate_gyrus=dentate_gyrus, factor=factor, seed=seed)
    chain.store(x, x, given={"CA3": states})
    return replayed(chain, x, patterns.corrupt(x, swap=noise, seed=seed))


def by_age(*, dentate_gyrus: bool, seed: int) -> list[float]:
    """Store ten sequences one after another, and return how well each is replayed, the last one first."""
    n = N_SEQUENCES * SEQUENCE
    states = intrinsic_sequence(n, 2, seed)
    x = np.concatenate([drifting(SEQUENCE, 220, 0.5, 100 * seed + i) for i in range(N_SEQUENCES)])
    chain = hippocampus(states, dentate_gyrus=dentate_gyrus, seed=seed)
    chain.store(x, x, given={"CA3": states})
    found = []
    for start in range(n - SEQUENCE, -1, -SEQUENCE):
        after = chain.replay(x[start], SEQUENCE - 1)
        found.append(float(pearson_correlation(x[start + 1 : start + SEQUENCE], after).mean()))
    return found
