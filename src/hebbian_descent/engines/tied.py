"""Auto-encoders with little but matrix products, a run to each thread, or two threads to a run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product, repeat

from threadpoolctl import threadpool_limits

from hebbian_descent.engines.auto_setting import AutoCell, AutoSetting
from hebbian_descent.engines.base import MEMORY_BUDGET, CellResult, empty_result
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.tied_halves import LearnerInHalves, entries_of, knows, product_of
from hebbian_descent.engines.tied_numpy import NumpyLearner
from hebbian_descent.engines.tied_reference import evaluate_into, new_network
from hebbian_descent.kernels.tied_parts import HALVES
from hebbian_descent.learning.run import DivergenceError


def fused(
    cell: AutoCell,
    setting: AutoSetting,
    patterns: Patterns,
    *,
    threads: int = 1,
    memory_budget: int = MEMORY_BUDGET,
) -> CellResult:
    """Run all learning rates and trials of a cell, as many at once as there are threads.

    What is left over, and is not even half as many runs as threads, has two threads each.
    """
    result = empty_result(setting, patterns)
    places = list(product(range(len(setting.learning_rates)), range(len(setting.trials))))
    n_left = len(places) % threads
    n_alone = len(places) - n_left if HALVES * n_left <= threads else len(places)

    is_known = knows(cell, setting)
    entries = entries_of(setting, patterns) if is_known else None

    def run(place: tuple[int, int], threads_per_run: int) -> None:
        i, j = place
        network = new_network(cell, setting, patterns, setting.trials[j])
        arguments = cell, setting, network, setting.learning_rates[i]
        learner = (
            LearnerInHalves(*arguments, threads=threads_per_run, entries=entries)
            if is_known
            else NumpyLearner(*arguments)
        )
        try:
            learner.run(patterns.inputs)
        except DivergenceError as divergence:
            result.diverged_at[i, j] = divergence.step
            return
        product = None if entries is None or patterns.evaluated else product_of(entries, network)
        evaluate_into(result, i, j, network, patterns, threads_per_run, product)

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, places[:n_alone], repeat(1)))
        list(pool.map(run, places[n_alone:], repeat(HALVES)))
    return result
