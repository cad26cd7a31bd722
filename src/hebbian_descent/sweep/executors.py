"""Where cells are run: in this process, in several, or on a Dask cluster. The results are the same bits.

A cell may use several threads in this process. Workers of a pool or a cluster get one thread each, so that
cores are not fought over.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, Protocol

from hebbian_descent.checks import as_count, require_extra
from hebbian_descent.results import Record
from hebbian_descent.sweep.patterns import Patterns
from hebbian_descent.sweep.work import Work


class Executor(Protocol):
    """A way to run cells of work; results come as they are finished, with the place of their cell."""

    def run(self, works: Sequence[Work], patterns: Patterns) -> Iterator[tuple[int, Record]]:
        """Yield the place of each cell in `works` and its record."""
        ...


class InProcess:
    """One cell after another, each on all processors that this process may use."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = usable_processors() if threads is None else as_count(threads, "number of threads")

    def run(self, works: Sequence[Work], patterns: Patterns) -> Iterator[tuple[int, Record]]:
        """Yield the records in the order of the cells."""
        for place, work in enumerate(works):
            yield place, work.run(patterns, self.threads)


class Processes:
    """Several processes on this machine, one cell each at a time."""

    def __init__(self, workers: int) -> None:
        self.workers = as_count(workers, "number of workers")

    def run(self, works: Sequence[Work], patterns: Patterns) -> Iterator[tuple[int, Record]]:
        """Yield the records as they are finished."""
        if not works:
            return
        pool = ProcessPoolExecutor(
            min(self.workers, len(works)),
            # A forked child would inherit the locks of this process's threads; a spawned one starts clean.
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_receive_patterns,
            initargs=(patterns,),
        )
        try:
            places = {pool.submit(_run_with_received, work): place for place, work in enumerate(works)}
            for future in as_completed(places):
                yield places[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


class Dask:
    """A Dask cluster: any scheduler by its address, or a local one with as many workers as processors."""

    def __init__(self, scheduler: str, timeout: str = "10s") -> None:
        self.scheduler = scheduler
        self.timeout = timeout

    def run(self, works: Sequence[Work], patterns: Patterns) -> Iterator[tuple[int, Record]]:
        """Yield the records as they are finished; cells of a worker that dies are run again elsewhere."""
        distributed = require_extra("distributed", extra="cluster", purpose="Running on a Dask cluster")
        with self._client(distributed) as client:
            shared = client.scatter(patterns, broadcast=True)  # to each worker once, not with every cell
            futures = [client.submit(_run_on_one_thread, work, shared, pure=False) for work in works]
            places = {future.key: place for place, future in enumerate(futures)}
            for future, record in distributed.as_completed(futures, with_results=True):
                yield places[future.key], record

    def _client(self, distributed: Any) -> Any:
        if self.scheduler == "local":
            cluster = distributed.LocalCluster(
                n_workers=usable_processors(), threads_per_worker=1, dashboard_address=None
            )
            return distributed.Client(cluster)
        try:
            return distributed.Client(self.scheduler, timeout=self.timeout)
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"The scheduler must be the address of a running Dask scheduler, such as tcp://host:8786, or "
                f"'local'. Got {self.scheduler!r}, which does not answer: {error}."
            ) from None


def get_executor(*, workers: int | None = None, scheduler: str | None = None) -> Executor:
    """Return the executor that the two options ask for."""
    if scheduler is not None:
        if workers is not None:
            raise ValueError(
                "Give the number of workers or a scheduler, not both: a cluster has its own workers."
            )
        return Dask(scheduler)
    return InProcess() if workers is None else Processes(workers)


def usable_processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _run_on_one_thread(work: Work, patterns: Patterns) -> Record:
    return work.run(patterns, threads=1)


_received: list[Patterns] = []  # in a process of the pool: the patterns, sent when it starts


def _receive_patterns(patterns: Patterns) -> None:
    _received[:] = [patterns]


def _run_with_received(work: Work) -> Record:
    return _run_on_one_thread(work, _received[0])
