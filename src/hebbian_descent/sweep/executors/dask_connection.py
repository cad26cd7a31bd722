"""Connections to a Dask cluster: one at an address, or a temporary one on this machine."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from hebbian_descent.checks import require_extra
from hebbian_descent.thread_pools import ONE_THREAD

CERTIFICATES = "security=distributed.Security(...) or distributed.comm.tls in Dask's configuration"
LOOPBACK = "127.0.0.1"

# Replaces Dask's own environment for workers, in which the memory of every array is returned to the system
# at once: the plain loop would take four times as long. The last variable keeps workers, which start as
# `python -c`, from importing files of the current folder in place of Python's own modules.
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
                # Any free port. Earlier versions of Dask would let workers listen everywhere.
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
    """Return a context in which these Dask settings apply."""
    dask = require_extra("dask", extra="cluster", purpose="Running on a Dask cluster")
    context: AbstractContextManager[Any] = dask.config.set(settings)
    return context


def connected(distributed: Any, address: str, security: Any, timeout: float) -> Any:
    """Return a client, or raise a `ConnectionError` if no scheduler answers within `timeout` seconds."""
    try:
        # Before there is a client: one that cannot connect leaves threads behind that complain later.
        # In another thread, because in a notebook this one runs an event loop.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _greet(distributed, address, security, timeout)).result()
        return distributed.Client(address, security=security, timeout=timeout, set_as_default=False)
    except Exception as error:  # whatever something other than a scheduler may answer
        raise ConnectionError(
            "The scheduler must be the address of a Dask scheduler that is running, such as "
            f"tcp://host:8786, or 'local'. Got {address!r}: {_reason(distributed, error, timeout)}."
        ) from None


async def _greet(distributed: Any, address: str, security: Any, timeout: float) -> None:
    """Check that a scheduler listens at the address."""
    try:
        arguments = (security or distributed.Security()).get_connection_args("client")
    except OSError as error:
        raise ValueError(f"the certificates of this client cannot be read, {error}") from None
    if address.startswith("tls:") and arguments["ssl_context"] is None:
        raise ValueError(f"this client has no certificates, pass {CERTIFICATES}")
    async with asyncio.timeout(timeout):
        async with distributed.rpc(address, timeout=timeout, connection_args=arguments) as scheduler:
            identity = await scheduler.identity()
    if identity["type"] != "Scheduler":
        raise ValueError(f"this is the address of a {identity['type']}")


def _reason(distributed: Any, error: Exception, timeout: float) -> str:
    if isinstance(error, distributed.comm.CommClosedError):
        return (
            "one side closed the connection; where the scheduler uses TLS, the address must begin with "
            f"tls:// and both sides need certificates of the same authority, pass {CERTIFICATES}"
        )
    if isinstance(error, OSError):
        return f"no answer within {timeout:g} s"
    return str(error)
