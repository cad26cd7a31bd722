"""How many processors this process may use, and how to keep libraries to one thread."""

from __future__ import annotations

import os
import sys

from threadpoolctl import threadpool_limits

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
"""The environment of a process in which no library starts threads of its own."""


def usable_processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def pin_to_one_thread() -> None:
    """Keep the libraries of this process to one thread from now on, including those loaded later.

    It is permanent: with several cells at a time in one process, a cell that restored the number at its end
    would do so for the others as well.
    """
    if "numba" in sys.modules:  # which refuses another number once its threads have started
        os.environ.update({name: "1" for name in ONE_THREAD if name != "NUMBA_NUM_THREADS"})
    else:
        os.environ.update(ONE_THREAD)
    threadpool_limits(1)
