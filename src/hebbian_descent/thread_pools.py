"""Usable processors, and how libraries such as a BLAS are limited to one thread.

Finding thread pools takes milliseconds, so the search is repeated only after an import: a library comes
with the module that needs it.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

_found: tuple[int, Any] = (0, None)


def _controller() -> Any:
    global _found
    n_modules = len(sys.modules)
    if _found[0] != n_modules:
        _found = n_modules, import_module("threadpoolctl").ThreadpoolController()
    return _found[1]


def one_thread(user_api: str | None = None) -> AbstractContextManager[Any]:
    """Limit all pools to one thread each, or those of an API such as "blas", until the context is left.

    A product that a BLAS splits over threads may round differently.
    """
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api=user_api)
    return limit


def thread_pools() -> list[dict[str, Any]]:
    """Return the libraries with a pool, and how many threads each uses now."""
    found: list[dict[str, Any]] = _controller().info()
    return found


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
"""Environment of a process in which no library starts its own threads."""


def usable_processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def pin_to_one_thread() -> None:
    """Limit the libraries of this process to one thread from now on, including those loaded later.

    It is permanent: with several cells at a time in one process, a cell that restored the number at its end
    would do so for the others as well.
    """
    if "numba" in sys.modules:  # it refuses another number once its threads have started
        os.environ.update({name: "1" for name in ONE_THREAD if name != "NUMBA_NUM_THREADS"})
    else:
        os.environ.update(ONE_THREAD)
    import_module("threadpoolctl").threadpool_limits(1)
