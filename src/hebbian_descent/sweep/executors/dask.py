"""Cells on a Dask cluster."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import Any

from hebbian_descent.checks import as_number, require_extra
from hebbian_descent.source_digest import package_version, source_digest
from hebbian_descent.storage.results import Record
from hebbian_descent.sweep.executors.base import Finished, Runnable, WorkerLostError, naming
from hebbian_descent.sweep.executors.dask_connection import connected, dask_config, local_cluster
from hebbian_descent.sweep.executors.sending import packed, portable, run_packed
from hebbian_descent.thread_pools import pin_to_one_thread, usable_processors


class Dask:
    """A Dask cluster: any scheduler by its address, or "local" for a temporary one on this machine.

    A worker runs as many cells at once as it has threads, each with one thread. Cells of a worker that dies
    are run again on another; if several workers die while running the same cell, the sweep ends with a
    `WorkerLostError`.

    Connecting to a scheduler means trusting it: it can run code in this process, as any client of it can on
    its workers. `security`, a `distributed.Security`, holds the certificates for an address that begins with
    tls://; without it, those of Dask's configuration are used. `timeout`, in seconds, is how long a scheduler
    may take to answer, and how long nothing may finish before a warning says what the sweep is waiting for.
    """

    def __init__(self, scheduler: str, timeout: float = 10.0, security: Any = None) -> None:
        if not isinstance(scheduler, str):
            raise TypeError(f"The scheduler must be an address, or 'local'. Got {scheduler!r}.")
        if not (security is None or hasattr(security, "get_connection_args")):
            raise TypeError(f"The security must be a distributed.Security, or None. Got {security!r}.")
        self.scheduler = scheduler
        self.security = security
        self.timeout = as_number(timeout, "timeout in seconds", above=0)

    def check(self) -> None:
        """Raise an error unless the scheduler answers; a local one is started only for work."""
        distributed = _distributed()
        if self.scheduler != "local":
            with connected(distributed, self.scheduler, self.security, self.timeout):
                pass

    def run(self, works: Sequence[Runnable], patterns: Any) -> Finished:
        """Yield the records as they are finished."""
        if not works:
            return
        distributed = _distributed()
        cells = packed(works)
        with ExitStack() as at_the_end:
            client = self._client(distributed, len(works), at_the_end)
            waiting = _Waiting(client, self.timeout)
            places = _submitted(client, cells, patterns, waiting)
            for batch in waiting.batches(len(places)):
                # Among those done at the same time, records come before errors.
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
                "same sweep resumes from the cells that are finished."
            ) from None
        except distributed.client.CancelledError:
            raise ConnectionError(
                f"The scheduler must live until the sweep is finished. Got {self.scheduler}, which no longer "
                "answers. With a store, the same sweep resumes from the cells that are finished."
            ) from None
        return record


def _distributed() -> Any:
    return require_extra("distributed", extra="cluster", purpose="Running on a Dask cluster")


def _submitted(client: Any, cells: Sequence[bytes], patterns: Any, waiting: _Waiting) -> dict[str, int]:
    """Submit the cells to the scheduler; return the positions of the cells by the keys of their futures."""
    call = _caller()
    # As a task, not as scattered data: if all workers that hold it die, a task is repeated.
    with dask_config({"distributed.admin.large-graph-warning-threshold": 2**60}):
        shared = client.submit(call, "unpacked_patterns", pickle.dumps(patterns), pure=False)
    places = {}
    for place, cell in enumerate(cells):
        future = client.submit(call, "run_cell", cell, shared, pure=False, priority=-place)
        places[future.key] = place
        # No list of futures is kept: the cluster holds a record as long as its future is referenced.
        waiting.add(future)
    return places


def unpacked_patterns(data: bytes) -> Any:
    """Return the patterns, which then stay on the worker."""
    return pickle.loads(data)


def run_cell(cell: bytes, patterns: Any) -> Record:
    """Run a packed cell on one thread."""
    pin_to_one_thread()
    try:
        return run_packed(cell, patterns)
    except BaseException as error:
        if (substitute := portable(error)) is error:
            raise
        raise substitute from None


def _caller() -> Callable[..., Any]:
    """Return a function that calls one of this module by name, on a worker that has the same package.

    A function within a function is sent as code: the scheduler and a worker without the package can load it,
    and a worker can report what it lacks.
    """
    needed, module = f"version {package_version()} with code {source_digest()[:12]}", __name__

    def call(name: str, *arguments: Any) -> Any:
        from importlib import import_module

        from distributed import get_worker

        found = "none"
        try:
            found = f"version {import_module('hebbian_descent').__version__}"
            digest = import_module("hebbian_descent.source_digest").source_digest()
            found = f"{found} with code {digest[:12]}"
        except ModuleNotFoundError:
            pass
        if found != needed:
            raise RuntimeError(
                f"All workers of the cluster must have hebbian-descent in {needed}, as this client has it. "
                f"Got {found} on the worker {get_worker().address}: install the same files on both sides, "
                "and start the worker again."
            )
        return getattr(import_module(module), name)(*arguments)

    return call


class _Waiting:
    """Futures as they are done, with a warning whenever the reason for a long wait changes."""

    def __init__(self, client: Any, patience: float) -> None:
        self._client = client
        self._patience = patience
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._last_seen: Mapping[str, float] = {}
        self._said: str | None = None

    def add(self, future: Any) -> None:
        """Wait for this future as well."""
        future.add_done_callback(self._done.put)

    def batches(self, n_futures: int) -> Iterator[list[Any]]:
        """Yield all futures, together those that are done at the same time."""
        since = time.strftime("%X")
        self._warn(since)
        while n_futures:
            try:
                batch = [self._done.get(timeout=self._patience)]
            except Empty:
                self._warn(since)
                continue
            while not self._done.empty():
                batch.append(self._done.get())
            n_futures -= len(batch)
            yield batch
            since = time.strftime("%X")

    def _warn(self, since: str) -> None:
        reason = self._reason()
        if reason is not None and reason != self._said:
            # Python shows the same warning only once; the time makes it differ from that of an earlier sweep.
            warnings.warn(f"The sweep has been waiting since {since}: {reason}.", stacklevel=3)
        self._said = reason

    def _reason(self) -> str | None:
        """Return what is unusual about the cluster, if anything is."""
        scheduler = self._client.scheduler
        try:
            identity = self._client.sync(scheduler.identity, callback_timeout=self._patience)
        except OSError:
            return f"the scheduler {scheduler.address} does not answer"
        workers = identity["workers"]
        if not workers:
            return f"the scheduler {scheduler.address} has no workers"
        before, self._last_seen = (
            self._last_seen,
            {address: worker["last_seen"] for address, worker in workers.items()},
        )
        silent = [address for address, seen in self._last_seen.items() if before.get(address) == seen]
        if silent:
            return (
                f"nothing has come from {_some(silent, workers)} for {self._patience:g} s; end a worker that "
                "hangs, and its cells are run elsewhere"
            )
        paused = [address for address, worker in workers.items() if worker["status"] == "paused"]
        if paused:
            return (
                f"Dask has paused {_some(paused, workers)}, as it does when memory is nearly full; give the "
                "workers more memory or fewer threads"
            )
        return None


def _some(addresses: Sequence[str], workers: Sized) -> str:
    """Return how many of the workers these are, and the first of them."""
    more = ", …" if len(addresses) > 3 else ""
    return f"{len(addresses)} of {len(workers)} workers ({', '.join(addresses[:3])}{more})"
