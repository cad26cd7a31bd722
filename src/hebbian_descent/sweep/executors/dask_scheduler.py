"""A client of a Dask scheduler, or one sentence on why there is none."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

CERTIFICATES = "security=distributed.Security(...) or distributed.comm.tls in Dask's configuration"


def connected(distributed: Any, address: str, security: Any, timeout: float) -> Any:
    """Return a client; raise a `ConnectionError` if no scheduler answers there within some seconds."""
    try:
        # Greeted before there is a client: one that finds nobody leaves threads behind that complain later.
        # In a thread of its own, because in a notebook this one has an event loop that is running.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _greet(distributed, address, security, timeout)).result()
        return distributed.Client(address, security=security, timeout=timeout, set_as_default=False)
    except Exception as error:  # whatever somebody who is not a scheduler may answer
        raise ConnectionError(
            "The scheduler must be the address of a Dask scheduler that is running, such as "
            f"tcp://host:8786, or 'local'. Got {address!r}: {_reason(distributed, error, timeout)}."
        ) from None


async def _greet(distributed: Any, address: str, security: Any, timeout: float) -> None:
    """Ask whoever listens at the address who they are."""
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
        return f"nobody answers within {timeout:g} s"
    return str(error)
