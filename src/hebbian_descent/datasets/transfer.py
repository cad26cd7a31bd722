"""One HTTP transfer, bounded in time and size."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError

from hebbian_descent.checks import printable

if TYPE_CHECKING:
    from http.client import HTTPResponse


class Deadline:
    """Closes the connections of a transfer when its time is up, whatever they are waiting for.

    A socket timeout is not enough: it restarts with every byte that a slow server sends.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._connections: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def watch(self, connection: socket.socket) -> None:
        """Close this connection at the deadline, too."""
        self._connections.append(connection)
        if self.passed:
            self._end()

    def _end(self) -> None:
        self.passed = True
        for connection in self._connections:
            with suppress(OSError):  # closed already
                # SSLSocket has a method of its own, made for the thread that reads.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


CHUNK_SIZE = 1 << 16
LONGEST_REASON = 200


class TransferError(Exception):
    """One address failed to deliver the file; another may succeed."""


def stream(
    url: str, *, timeout: float, seconds: float, at_most: int
) -> Generator[tuple[bytes, int | None], None, None]:
    """Yield the bytes at `url` in pieces, each with the total if the server announced one.

    `timeout` limits the wait for each answer, `seconds` the whole transfer, `at_most` the number of bytes.
    """
    from hebbian_descent.datasets.http_requests import open_url

    with Deadline(seconds) as deadline:
        try:
            with open_url(url, timeout, deadline, at_most) as response:
                yield from _pieces(response, at_most)
            failure = None
        # A server that breaks the rules makes the standard library raise nearly anything.
        except Exception as error:
            failure = _reason(error, timeout)
    if deadline.passed:
        failure = f"the transfer was not done within {seconds:g} s"
    if failure is not None:
        raise TransferError(failure)


def _pieces(response: HTTPResponse, at_most: int) -> Generator[tuple[bytes, int | None], None, None]:
    announced = response.headers.get("Content-Length")
    total = int(announced) if announced and announced.isdecimal() else None
    if total is not None and total > at_most:
        raise TransferError(f"the file has at most {at_most} bytes, and the server announced {total}")
    received = 0
    while piece := response.read(CHUNK_SIZE):
        received += len(piece)
        if received > at_most:
            raise TransferError(f"the file has at most {at_most} bytes, and the server sent more")
        yield piece, total
    if total is not None and received != total:
        raise TransferError(f"the transfer ended after {received} of {total} bytes")


def _reason(error: BaseException | str, timeout: float) -> str:
    """Return in one line why a transfer failed, without control characters that a server may have sent."""
    if isinstance(error, HTTPError):
        error.close()
        error = f"the server answered {error.code} {error.reason}"
    elif isinstance(error, URLError):
        error = error.reason
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    line = " ".join(str(error).split()) or type(error).__name__
    return printable(line[:LONGEST_REASON])
