"""What a sweep on a Dask cluster waits for, said when nothing has been finished for some seconds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence, Sized
from queue import Empty, SimpleQueue
from typing import Any


class Waiting:
    """Futures as they are done, with a warning each time the reason for a long wait becomes another one."""

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
        """Yield all futures, those together that are done at the same time."""
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
            # The time makes it another text than in the sweep before, since Python shows a text only once.
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
