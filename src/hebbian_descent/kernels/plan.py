"""How the work is cut: into units that stay in the cache, rates that keep threads busy, trials that fit.

The strips follow from the sizes of the problem alone, never from the number of threads or of trials, so that
a run gives the same bits alone and among thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hebbian_descent.kernels.panels import PANEL_BYTES

MOST_PANELS = 25
CACHE_BYTES = 256 * 1024  # of a strip of p, which each step reads as a whole
STEPS_OF_A_PIECE = 50_000  # some hundredths of a second, which is how long threads may wait for the last one


def strips_of_units(n_units: int, n_steps: int, itemsize: int, *, coupled: bool) -> list[slice]:
    """Cut the output units into strips of whole panels, as even as possible.

    Units that are coupled, as by softmax, stay together.
    """
    if coupled:
        return [slice(0, n_units)]
    n_lanes = PANEL_BYTES // itemsize
    n_panels = -(-n_units // n_lanes)
    most_panels = max(1, min(MOST_PANELS, CACHE_BYTES // (n_steps * PANEL_BYTES)))
    n_strips = -(-n_panels // most_panels)
    edges = [n_panels * strip // n_strips * n_lanes for strip in range(n_strips + 1)]
    return [slice(start, min(stop, n_units)) for start, stop in pairwise(edges)]


def pieces_of_rates(n_rates: int, n_steps: int) -> list[slice]:
    """Cut the learning rates into pieces of enough steps."""
    size = max(1, STEPS_OF_A_PIECE // n_steps)
    return [slice(start, min(start + size, n_rates)) for start in range(0, n_rates, size)]


def padded(n_units: int, itemsize: int) -> int:
    """Return the number of columns of the panels that hold `n_units` units.

    With a multiple of 8 panels a row, the same panel of all rows would fall into few sets of the cache.
    """
    n_lanes = PANEL_BYTES // itemsize
    n_panels = -(-n_units // n_lanes)
    return (n_panels + (n_panels % 8 == 0)) * n_lanes


def groups_of_trials(
    trials: Sequence[int], bytes_per_trial: int, memory_budget: int
) -> Iterator[Sequence[int]]:
    """Yield as many trials at a time as the memory holds, at least one."""
    size = max(1, memory_budget // bytes_per_trial)
    for start in range(0, len(trials), size):
        yield trials[start : start + size]
