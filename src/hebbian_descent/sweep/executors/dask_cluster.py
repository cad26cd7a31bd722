"""Cells on a Dask cluster."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from hebbian_descent.checks import as_number, require_extra
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.cell import Work
from hebbian_descent.sweep.executors.base import Finished, WorkerLostError, naming
from hebbian_descent.sweep.executors.dask_local import dask_config, local_cluster
from hebbian_descent.sweep.executors.dask_scheduler import connected
from hebbian_descent.sweep.executors.dask_tasks import caller
from hebbian_descent.sweep.executors.dask_waiting import Waiting
from hebbian_descent.sweep.executors.sending import packed
from hebbian_descent.sweep.executors.threads import usable_processors


class Dask:
    """A Dask cluster: any scheduler by its address, or "local" for one on this machine while it is needed.

    A worker runs as many cells at once as it has threads, each with one thread. Cells of a worker that dies
    are run again on another; a cell of which several workers have died ends the sweep with a
    `WorkerLostError`.

    To connect to a scheduler is to trust it: it can run code in this process, as any client of it can on its
    workers. `security`, a `distributed.Security`, holds the certificates for an address that begins with
    tls://; without it, those of Dask's configuration are used. `timeout` is in seconds: how long a scheduler
    may take to answer, and how long nothing may be finished before a warning says what is waited for.
    """

    def __init__(self, scheduler: str, timeout: float = 10.0, security: Any = None) -> None:
        if not isinstance(scheduler, str):
            raise TypeError(f"The scheduler must be an address, or 'local'. Got {scheduler!r}.")
        if not (security is None or hasattr(security, "get_connection_args")):
            raise TypeError(f"The security must be a distributed.Security, or None. Got {security!r}.")
        self.scheduler = scheduler
        self.security = security
        self.timeout = as_number(timeout, "timeout in seconds", above=0)

    def run(self, works: Sequence[Work], patterns: Patterns) -> Finished:
        """Yield the records as they are finished."""
        if not works:
            return
        distributed = require_extra("distributed", extra="cluster", purpose="Running on a Dask cluster")
        cells = packed(works)
        with ExitStack() as at_the_end:
            client = self._client(distributed, len(works), at_the_end)
            waiting = Waiting(client, self.timeout)
            places = _submitted(client, cells, patterns, waiting)
            for batch in waiting.batches(len(places)):
                # A record before an error that is there at the same time.
                for future in sorted(batch, key=lambda future: future.status != "finished"):
                    work = works[places[future.key]]
                    with naming(work.cell):
                        record = self._record(distributed, future)
                    yield places[future.key], record

    def _client(self, distributed: Any, n_cells: int, at_the_end: ExitStack) -> Any:
        address, security = self.scheduler, self.security
        if address == "local":
            n_workers = min(usable_processors(), n_cells)
            cluster = at_the_end.enter_context(local_cluster(distributed, n_workers, security))
            address, security = cluster.scheduler_address, cluster.security
        return at_the_end.enter_context(connected(distributed, address, security, self.timeout))

    def _record(self, distributed: Any, future: Any) -> Record:
        try:
            record: Record = future.result()
        except distributed.scheduler.KilledWorker as error:
            raise WorkerLostError(
                "A worker of the cluster must live until its cell is finished. "
                f"Got {error.allowed_failures + 1} in a row that did not. Often memory has run out: give the "
                "workers more memory or fewer threads, or use a smaller memory_budget. With a store, the "
                "same sweep goes on from the cells that are finished."
            ) from None
        except distributed.client.CancelledError:
            raise ConnectionError(
                f"The scheduler must live until the sweep is finished. Got {self.scheduler}, which no longer "
                "answers. With a store, the same sweep goes on from the cells that are finished."
            ) from None
        return record


def _submitted(client: Any, cells: Sequence[bytes], patterns: Patterns, waiting: Waiting) -> dict[str, int]:
    """Hand the cells to the scheduler; return the places of the cells by the keys of their futures."""
    call = caller()
    # As a task, and not as data that is scattered: should all workers that hold it die, a task is repeated.
    with dask_config({"distributed.admin.large-graph-warning-threshold": 2**60}):
        shared = client.submit(call, "unpacked_patterns", pickle.dumps(patterns), pure=False)
    places = {}
    for place, cell in enumerate(cells):
        future = client.submit(call, "run_cell", cell, shared, pure=False, priority=-place)
        places[future.key] = place
        # No list of futures is kept: the cluster holds a record as long as somebody has its future.
        waiting.add(future)
    return places
