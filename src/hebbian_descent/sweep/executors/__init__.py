"""Where cells run: in this process, in several, or on a Dask cluster. The results have the same bits.

For that, every cell runs with one thread of BLAS and OpenMP, since a product that is split over threads may
round differently. In this process the engines add their own threads, whose number does not affect the
results; a worker process gets a single thread, so that workers do not compete for cores.
"""

from __future__ import annotations

from typing import Any

from hebbian_descent.sweep.executors.base import Executor, InProcess, WorkerLostError
from hebbian_descent.sweep.executors.dask import Dask
from hebbian_descent.sweep.executors.processes import Processes

__all__ = ["Dask", "Executor", "InProcess", "Processes", "WorkerLostError", "get_executor"]


def get_executor(
    *, workers: int | None = None, scheduler: str | None = None, security: Any = None
) -> Executor:
    """Return the executor that the options specify."""
    if scheduler is not None:
        if workers is not None:
            raise ValueError(
                "Give the number of workers or a scheduler, not both: a cluster has its own workers."
            )
        return Dask(scheduler, security=security)
    if security is not None:
        raise ValueError(f"The security must come with its scheduler. Got {security!r} alone.")
    return InProcess() if workers is None else Processes(workers)
