"""Tiling of the work: units that stay in the cache, rates and epochs for one call, trials that fit.

The blocks of units follow from the sizes of the problem alone, never from the number of threads or of trials,
so that a run gives the same bits alone and among thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hebbian_descent.aligned import VECTOR_BYTES

MOST_VECTORS = 25
CACHE_BYTES = 256 * 1024  # of a block of p, which each step reads as a whole
OPERATIONS_OF_A_CALL = (
    500_000_000  # some hundredths of a second: threads wait for the last, and Ctrl-C for all
)


def unit_blocks(n_units: int, n_steps: int, itemsize: int, *, coupled: bool) -> list[slice]:
    """Cut the output units into blocks of whole vectors, as even as possible.

    Units that are coupled, as by softmax, stay together.
    """
    if coupled:
        return [slice(0, n_units)]
    n_lanes = VECTOR_BYTES // itemsize
    n_vectors = -(-n_units // n_lanes)
    most_vectors = max(1, min(MOST_VECTORS, CACHE_BYTES // (n_steps * VECTOR_BYTES)))
    n_blocks = -(-n_vectors // most_vectors)
    edges = [n_vectors * block // n_blocks * n_lanes for block in range(n_blocks + 1)]
    return [slice(start, min(stop, n_units)) for start, stop in pairwise(edges)]


def calls(n: int, operations_of_one: int) -> list[slice]:
    """Cut n equal pieces of work into parts for one call each, of at least one piece."""
    size = max(1, OPERATIONS_OF_A_CALL // max(1, operations_of_one))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def groups_of_trials(
    trials: Sequence[int], bytes_per_trial: int, memory_budget: int
) -> Iterator[Sequence[int]]:
    """Yield as many trials at a time as the memory holds, at least one."""
    size = max(1, memory_budget // bytes_per_trial)
    for start in range(0, len(trials), size):
        yield trials[start : start + size]
