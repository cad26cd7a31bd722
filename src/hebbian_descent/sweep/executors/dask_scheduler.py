"""Whether a Dask scheduler is there, asked before anything else."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def check_that_it_answers(distributed: Any, address: str, timeout: float) -> None:
    """Raise a `ConnectionError` if no scheduler answers at the address within some seconds.

    A client of Dask would find out as well, but leaves threads behind that complain later.
    """
    # In a thread of its own, because in a notebook this one has an event loop that is running.
    with ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(asyncio.run, _greet(distributed, address, timeout)).result()
        except Exception as error:  # whatever somebody who is not a scheduler may answer
            reason = f"nobody answers within {timeout:g} s" if isinstance(error, OSError) else str(error)
            raise ConnectionError(
                "The scheduler must be the address of a Dask scheduler that is running, such as "
                f"tcp://host:8786, or 'local'. Got {address!r}: {reason}."
            ) from None


async def _greet(distributed: Any, address: str, timeout: float) -> None:
    arguments = distributed.Security().get_connection_args("client")
    connecting = distributed.comm.connect(address, timeout=timeout, **arguments)
    connection = await asyncio.wait_for(connecting, timeout)
    await connection.close()
