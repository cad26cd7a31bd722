"""The bytes behind one web address, or one sentence about why they did not come."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError

from hebbian_descent.checks import printable
from hebbian_descent.datasets.download.deadline import Deadline

if TYPE_CHECKING:
    from http.client import HTTPResponse

CHUNK_SIZE = 1 << 16
LONGEST_REASON = 200


class TransferError(Exception):
    """One address did not give the file; another may."""


def stream(
    url: str, *, timeout: float, seconds: float, at_most: int
) -> Generator[tuple[bytes, int | None], None, None]:
    """Yield the bytes at `url` piece by piece, each with the total that the server announced, if it did.

    `timeout` bounds the wait for each answer, `seconds` the whole transfer, `at_most` the number of bytes.
    """
    from hebbian_descent.datasets.download.opening import open_url

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
    """Say in one line why a transfer failed; what a server wrote must not control the terminal."""
    if isinstance(error, HTTPError):
        error.close()
        error = f"the server answered {error.code} {error.reason}"
    elif isinstance(error, URLError):
        error = error.reason
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    line = " ".join(str(error).split()) or type(error).__name__
    return printable(line[:LONGEST_REASON])
