"""A Dask cluster on this machine, for as long as it is needed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from hebbian_descent.checks import require_extra
from hebbian_descent.sweep.executors.threads import ONE_THREAD

LOOPBACK = "127.0.0.1"

# In place of Dask's own environment for workers, in which the memory of every array goes back to the system
# at once: the plain loop would take four times as long. The last variable keeps workers, which start as
# `python -c`, from importing what lies in the current folder in place of Python's own modules.
ENVIRONMENT = {**ONE_THREAD, "PYTHONSAFEPATH": "1"}


@contextmanager
def local_cluster(distributed: Any, n_workers: int, security: Any = None) -> Iterator[Any]:
    """Start workers with one thread each that only this machine can reach, and end them afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="hebbian-descent-") as folder,
        dask_config({"temporary-directory": folder, "distributed.nanny.pre-spawn-environ": ENVIRONMENT}),
        _environment(ENVIRONMENT),
    ):
        try:
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                host=LOOPBACK,
                # Any port that is free. Earlier versions of Dask would let workers listen everywhere.
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                security=security,
            )
        except RuntimeError:
            raise RuntimeError(
                "The workers of a local Dask cluster must be able to import the script that starts them. "
                "Got workers that did not start: put the sweep under if __name__ == '__main__': or use "
                "workers=… in place of scheduler='local'."
            ) from None
        with cluster:
            yield cluster


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables for the workers to inherit, then restore them; Dask would set them permanently."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def dask_config(settings: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """Return a context in which these settings of Dask hold."""
    dask = require_extra("dask", extra="cluster", purpose="Running on a Dask cluster")
    context: AbstractContextManager[Any] = dask.config.set(settings)
    return context
