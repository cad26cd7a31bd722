"""A Dask cluster on this machine, for as long as it is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from hebbian_descent.checks import require_extra
from hebbian_descent.sweep.executors.threads import ONE_THREAD


@contextmanager
def local_cluster(distributed: Any, n_workers: int) -> Iterator[Any]:
    """Start workers with one thread each, and end them afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="hebbian-descent-") as folder,
        # In place of Dask's own environment for workers, in which the memory of every array goes back to the
        # system at once: the plain loop would take four times as long.
        dask_config({"temporary-directory": folder, "distributed.nanny.pre-spawn-environ": ONE_THREAD}),
    ):
        try:
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=":0",  # any port that is free
            )
        except RuntimeError:
            raise RuntimeError(
                "The workers of a local Dask cluster must be able to import the script that starts them. "
                "Got workers that did not start: put the sweep under if __name__ == '__main__': or use "
                "workers=… in place of scheduler='local'."
            ) from None
        with cluster:
            yield cluster


def dask_config(settings: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """Return a context in which these settings of Dask hold."""
    dask = require_extra("dask", extra="cluster", purpose="Running on a Dask cluster")
    context: AbstractContextManager[Any] = dask.config.set(settings)
    return context
