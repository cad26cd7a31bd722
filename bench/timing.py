"""Timing: candidates in turn, round after round, and the median of each.

Other load on the machine then slows all candidates alike.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import inf
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

REST = 0.1
"""Seconds between two measurements, for the threads of a library to stop waiting for more work."""
MEMORY = 2**29
"""Bytes, more than any contender takes at once."""


def seconds_of(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long a call took, and what it returned."""
    time.sleep(REST)
    _claim_memory()
    start = time.perf_counter()
    value = function()
    return time.perf_counter() - start, value


def _claim_memory() -> None:
    """Claim memory from the host of a virtual machine, to which it returns some seconds after it was freed.

    Otherwise the contender after a slow one would have to wait for that, and the next one would not.
    """
    np.ones(MEMORY // 8)


def interleaved(
    candidates: Mapping[str, Callable[[], Any]], repeats: int, patience: float = inf
) -> dict[str, float]:
    """Return the median number of seconds of each candidate, all of them called once in every round.

    A candidate that has taken more seconds than `patience` altogether is not called again.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(repeats):
        for name, function in candidates.items():
            if sum(seconds[name]) < patience:
                seconds[name].append(seconds_of(function)[0])
    return {name: median(values) for name, values in seconds.items()}


def use_cores(n_cores: int) -> int:
    """Limit this process and its children to so many cores; return how many there are, if fewer."""
    if not hasattr(os, "sched_setaffinity"):  # not on every system
        return min(n_cores, os.cpu_count() or 1)
    cores = sorted(os.sched_getaffinity(0))[:n_cores]
    os.sched_setaffinity(0, cores)
    return len(cores)


@contextmanager
def library_threads(n_threads: int) -> Iterator[None]:
    """Let NumPy's BLAS and PyTorch, if it is loaded, split an operation over so many threads.

    JAX takes as many as this process has cores when it is first used, and keeps them.
    """
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(n_threads)
    with threadpool_limits(n_threads, user_api="blas"):
        yield


def in_threads(function: Callable[[Sequence[int]], Any], runs: Sequence[int], n_threads: int) -> Any:
    """Split the runs among several Python threads and join what they return."""
    shares = np.array_split(np.asarray(runs), n_threads)
    with ThreadPoolExecutor(n_threads) as pool:
        return np.concatenate(list(pool.map(function, [share.tolist() for share in shares])))
