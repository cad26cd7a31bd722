"""How slowly classical memories approach their capacities: 0.138 patterns per unit, ln 2 bits per synapse.

Both are limits of infinite networks. The script stores random patterns in networks of finite size, finds how
many can be recalled, and draws the numbers over the size.

python examples/memory/classical_capacity.py [FILE]

The criterion for a Hopfield network is that recall from the patterns themselves ends at a mean overlap of at
least 0.9; for Willshaw's memory, that recalled patterns have at most one wrong unit on average.
"""

from __future__ import annotations

import sys
from math import lgamma, log
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hebbian_descent import patterns
from hebbian_descent.memory import HopfieldMemory, WillshawMemory

HOPFIELD_LIMIT, OVERLAP = 0.138, 0.9
HOPFIELD_SIZES = (100, 200, 500, 1000, 2000)
WILLSHAW_SIZES = HOPFIELD_SIZES[:-1]
LOADS = np.arange(0.11, 0.2, 0.01)
N_CUES, N_SPARSE_CUES = 200, 3000
"""Number of recalled patterns, of all stored ones; few wrong units need many patterns to be counted."""
COLORS = "#0072B2", "#D55E00"


def hopfield_capacity(n_units: int, n_draws: int) -> float:
    """Return the number of patterns per unit at which the mean overlap falls to 0.9."""
    overlaps = [np.mean([hopfield_overlap(n_units, load, draw) for draw in range(n_draws)]) for load in LOADS]
    falling = np.minimum.accumulate(overlaps)
    return float(np.interp(-OVERLAP, -falling, LOADS))


def hopfield_overlap(n_units: int, load: float, seed: int) -> float:
    """Return the mean overlap with stored patterns at which recall ends, with all units updated at once."""
    rng = np.random.default_rng((seed, n_units))
    x = rng.choice([-1.0, 1.0], size=(round(load * n_units), n_units))
    memory = HopfieldMemory(n_units)
    memory.store(x)
    recalled = memory.recall(x[:N_CUES], 30, until="converged")
    return float((x[:N_CUES] * recalled).mean())


def willshaw_bits(n_units: int, n_draws: int) -> float:
    """Return the bits per synapse with one wrong unit on average; log₂N − 2 units are active."""
    k = round(np.log2(n_units)) - 2
    counts = np.linspace(0.8, 1.04, 5) * willshaw_patterns(n_units, k)
    wrong = [np.mean([willshaw_wrong(n_units, k, round(n), draw) for draw in range(n_draws)]) for n in counts]
    n_recalled = float(np.interp(1.0, np.maximum.accumulate(wrong), counts))
    return n_recalled * bits_of_pattern(n_units, k) / n_units**2


def willshaw_wrong(n_units: int, k: int, n_stored: int, seed: int) -> float:
    """Return the mean number of units of a recalled pattern that are wrongly on."""
    cues = patterns.sparse(n_stored, n_units, activity=k / n_units, seed=2 * seed)
    targets = patterns.sparse(n_stored, n_units, activity=k / n_units, seed=2 * seed + 1)
    memory = WillshawMemory(n_units, n_units)
    memory.store(cues, targets)
    return float((memory.recall(cues[:N_SPARSE_CUES]) - targets[:N_SPARSE_CUES]).sum(axis=1).mean())


def willshaw_patterns(n_units: int, k: int) -> float:
    """Return P = −ln(1 − p)·N²/k² with p = N^(−1/k), with one wrong unit if synapses are independent."""
    return -log(1 - n_units ** (-1 / k)) * n_units**2 / k**2


def bits_of_pattern(n_units: int, k: int) -> float:
    """Return log₂ of the number of patterns with k active units, minus log₂(k + 1): one of k + 1 is wrong."""
    n_patterns = lgamma(n_units + 1) - lgamma(k + 1) - lgamma(n_units - k + 1)
    return (n_patterns - log(k + 1)) / log(2)


def willshaw_theory(n_units: int) -> float:
    """Return the bits per synapse by the formula, with the best number of active units."""
    ks = range(2, 60)  # active units
    return max(willshaw_patterns(n_units, k) * bits_of_pattern(n_units, k) / n_units**2 for k in ks)


def draw(hopfield: dict[int, float], willshaw: dict[int, float]) -> Figure:
    """Draw both capacities over the number of units, with their limits."""
    figure = Figure(figsize=(7.5, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _panel(left, hopfield, HOPFIELD_LIMIT, "limit 0.138", "Hopfield: patterns per unit")
    sizes = np.geomspace(100, 1e12, 60)
    right.plot(
        sizes, [willshaw_theory(round(n)) for n in sizes], color=COLORS[1], label="independent synapses"
    )
    _panel(right, willshaw, log(2), "limit ln 2", "Willshaw: bits per synapse")
    left.set_ylim(0.12, 0.19)
    right.set_ylim(0.4, 0.72)
    return figure


def _panel(axes: Any, found: dict[int, float], limit: float, name: str, title: str) -> None:
    axes.plot(list(found), list(found.values()), "o-", color=COLORS[0], markersize=4, label="measured")
    axes.axhline(limit, color="#666666", linestyle="-.", linewidth=1.2, label=name)
    axes.set(title=title, xscale="log", xlabel="Units")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.legend(frameon=False, fontsize=9, loc="lower right" if name == "limit ln 2" else "upper right")


def main(path: str) -> None:
    """Measure, print and draw."""
    hopfield = {n: hopfield_capacity(n, n_draws=max(2, 2000 // n)) for n in HOPFIELD_SIZES}
    willshaw = {n: willshaw_bits(n, n_draws=max(1, 1000 // n)) for n in WILLSHAW_SIZES}
    for n, load in hopfield.items():
        print(f"Hopfield, {n} units: {load:.3f} patterns per unit")
    for n, bits in willshaw.items():
        print(f"Willshaw, {n} units: {bits:.2f} bits per synapse, {willshaw_theory(n):.2f} by the formula")
    draw(hopfield, willshaw).savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "classical_capacity.png")
