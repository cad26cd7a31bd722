"""The bytes behind one web address, or one sentence about why they did not come."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from http.client import HTTPResponse

CHUNK_SIZE = 1 << 16


class TransferError(Exception):
    """One address did not give the file; another may."""


def stream(url: str, *, timeout: float) -> Generator[tuple[bytes, int | None], None, None]:
    """Yield the bytes at `url` piece by piece, each with the total that the server announced, if it did.

    `timeout` bounds in seconds the wait for the connection and for each piece, so a stalled server is left.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    # A server that compresses on the way would make the announced length that of something else.
    request = Request(url, headers={"User-Agent": "hebbian-descent", "Accept-Encoding": "identity"})
    try:
        with urlopen(request, timeout=timeout) as response:
            yield from _pieces(response)
    except HTTPError as error:
        error.close()
        raise TransferError(f"the server answered {error.code} {error.reason}") from None
    except URLError as error:
        raise TransferError(_reason(error.reason, timeout)) from None
    except (OSError, HTTPException) as error:
        raise TransferError(_reason(error, timeout)) from None


def _pieces(response: HTTPResponse) -> Generator[tuple[bytes, int | None], None, None]:
    announced = response.headers.get("Content-Length")
    total = int(announced) if announced and announced.isdecimal() else None
    received = 0
    while piece := response.read(CHUNK_SIZE):
        received += len(piece)
        yield piece, total
    if total is not None and received != total:
        raise TransferError(f"the transfer ended after {received} of {total} bytes")


def _reason(error: BaseException | str, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    return str(error) or type(error).__name__
