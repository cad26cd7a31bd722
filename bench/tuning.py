"""Tuning of a peer: the fastest use of its cores is found by trial."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from problems import Array, LayerProblem
from timing import in_threads, library_threads, seconds_of

MOST_BYTES_OF_CHUNK = 2**30
TRIES = 2
UPDATES_TO_TUNE = 20
LEAST_RUNS = 7


class Variant(NamedTuple):
    """A configuration of a peer: runs at once, Python threads that share the runs, threads of its library."""

    chunk: int
    run_threads: int
    library_threads: int


def spread(run: Any, problem: Any, runs: Sequence[int], variant: Variant) -> Array:
    """Let a peer train the runs."""
    with library_threads(variant.library_threads):
        return in_threads(lambda share: run(problem, share, variant.chunk), runs, variant.run_threads)


def tuned(run: Any, chunks: Sequence[int], problem: Any, n_cores: int) -> tuple[Variant, float]:
    """Return the fastest variant of a peer and its seconds per run, judged by a few updates."""
    short = problem.shortened(UPDATES_TO_TUNE)
    seconds = {}
    for variant in variants(chunks, problem, n_cores):
        runs = spread_evenly(problem.n_runs, variant.chunk * variant.run_threads)
        call = partial(spread, run, short, runs, variant)
        call()
        seconds[variant] = min(seconds_of(call)[0] for _ in range(TRIES)) / len(runs)
    best = min(seconds, key=lambda variant: seconds[variant])
    return best, seconds[best] * problem.n_updates / UPDATES_TO_TUNE


def variants(chunks: Sequence[int], problem: Any, n_cores: int) -> list[Variant]:
    """Return the variants that have enough runs and memory; small operations are often best on one core."""
    if isinstance(problem, LayerProblem):
        units = problem.n_inputs + problem.n_patterns
        bytes_per_run = np.dtype(problem.dtype).itemsize * problem.n_outputs * units
        most_runs = min(problem.n_runs, MOST_BYTES_OF_CHUNK // bytes_per_run)
    else:
        most_runs = 1
    return [
        Variant(chunk, *threads)
        for chunk in chunks
        for threads in ((1, 1), (1, n_cores), (n_cores, 1))
        if chunk * threads[0] <= most_runs
    ]


def runs_to_time(n_runs: int, variant: Variant, seconds_per_run: float, seconds_per_pass: float) -> list[int]:
    """Return as many runs as fit into the time, in whole chunks, taken evenly from all."""
    unit = variant.chunk * variant.run_threads
    n_timed = max(LEAST_RUNS, seconds_per_pass / seconds_per_run)
    return spread_evenly(n_runs, max(1, round(n_timed / unit)) * unit)


def spread_evenly(n_runs: int, n_chosen: int) -> list[int]:
    """Choose runs over the whole range of learning rates and trials."""
    return np.linspace(0, n_runs - 1, min(n_chosen, n_runs)).astype(int).tolist()
