"""One file from one address: an HTTP transfer that is bounded in time and size, and checked.

Imported when a download starts, since urllib.request is slow to import.
"""

from __future__ import annotations

import hashlib
import io
import os
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from email.message import Message
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import (
    AbstractHTTPHandler,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)
from uuid import uuid4

from hebbian_descent.checks import in_one_line
from hebbian_descent.datasets.dataset import RemoteFile
from hebbian_descent.datasets.formats import OVERHEAD, read_content
from hebbian_descent.safe_files import sync_folder

Report = Callable[[int, int | None], None]
"""Called with the bytes received so far, and the total if the server announced one."""

SLOWEST = 20_000
"""Bytes per second; a server that is slower over the whole file is abandoned."""
CHUNK_SIZE = 1 << 16
FRAMING = 1 << 20
"""Bytes that headers and chunk markers may take, on top of twice the file size."""


class TransferError(Exception):
    """One address failed to deliver the file; another may succeed."""


def fetch_from(url: str, remote: RemoteFile, folder: Path, timeout: float, report: Report) -> Path:
    """Download `remote` from one address, under a temporary name until its digest is checked."""
    target = folder / remote.name
    seconds = timeout + remote.size / SLOWEST
    pieces = stream(url, timeout=timeout, seconds=seconds, at_most=remote.size + OVERHEAD)
    part = folder / f".{remote.name}.{uuid4().hex}.part"  # unique: several processes may fetch at once
    try:
        with part.open("xb") as sink, closing(pieces):
            received = 0
            for piece, total in pieces:
                sink.write(piece)
                received += len(piece)
                report(received, total)
            sink.flush()
            os.fsync(sink.fileno())
        _check_digest(part, remote)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(folder)
    return target


def _check_digest(part: Path, remote: RemoteFile) -> None:
    if remote.digest_of == "file":
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    else:
        try:
            digest = hashlib.sha256(read_content(part, remote.size)).hexdigest()
        except Exception as error:  # damaged data can raise nearly anything
            raise TransferError(f"the received file cannot be decompressed: {error}") from None
    if digest != remote.sha256:
        raise TransferError(
            f"the received file differs (SHA-256 {digest[:12]}… in place of {remote.sha256[:12]}…)"
        )


def stream(
    url: str, *, timeout: float, seconds: float, at_most: int
) -> Generator[tuple[bytes, int | None], None, None]:
    """Yield the bytes at `url` in pieces, each with the total if the server announced one.

    `timeout` limits the wait for each answer, `seconds` the whole transfer, `at_most` the number of bytes.
    """
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
        raise TransferError(f"the file has at most {at_most} bytes, but the server announced {total}")
    received = 0
    while piece := response.read(CHUNK_SIZE):
        received += len(piece)
        if received > at_most:
            raise TransferError(f"the file has at most {at_most} bytes, but the server sent more")
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
    return in_one_line(error)


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
        """Close this connection at the deadline as well."""
        self._connections.append(connection)
        if self.passed:
            self._end()

    def _end(self) -> None:
        self.passed = True
        for connection in self._connections:
            with suppress(OSError):  # closed already
                # SSLSocket overrides this method for use by the reading thread.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


def open_url(url: str, timeout: float, deadline: Deadline, at_most: int) -> HTTPResponse:
    """Request a file of up to `at_most` bytes, and return the response with its body unread."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        UnknownHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
        _Redirects(),
        _Web(deadline, 2 * at_most + FRAMING),
    ):
        opener.add_handler(handler)
    # If the server compressed the transfer, the announced length would not be that of the file.
    request = Request(url, headers={"User-Agent": "hebbian-descent", "Accept-Encoding": "identity"})
    response: HTTPResponse = opener.open(request, timeout=timeout)
    return response


class _Web(AbstractHTTPHandler):
    """Opens connections that close at a deadline and deliver a limited number of bytes."""

    def __init__(self, deadline: Deadline, at_most: int) -> None:
        super().__init__()
        self._deadline = deadline
        self._at_most = at_most

    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(self._bounded(HTTPConnection), request)

    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(self._bounded(HTTPSConnection), request)

    http_request = https_request = AbstractHTTPHandler.do_request_

    def _bounded(self, kind: type[HTTPConnection]) -> Any:
        deadline, at_most = self._deadline, self._at_most

        class Bounded(kind):  # type: ignore[misc, valid-type]
            def connect(self) -> None:
                super().connect()
                deadline.watch(self.sock)

            def response_class(self, *arguments: Any, **options: Any) -> HTTPResponse:
                response = HTTPResponse(*arguments, **options)
                response.fp = io.BufferedReader(_Counted(response.fp.detach(), at_most))
                return response

        return Bounded


class _Counted(io.RawIOBase):
    """Counts all bytes of a connection, headers included: a server can send endlessly around a body."""

    def __init__(self, source: io.RawIOBase, at_most: int) -> None:
        self._source = source
        self._left = at_most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        n_bytes: int | None = self._source.readinto(buffer)
        self._left -= n_bytes or 0
        if self._left < 0:
            raise OSError("the server sent far more than the file has")
        return n_bytes

    def close(self) -> None:
        self._source.close()
        super().close()


class _Redirects(HTTPRedirectHandler):
    """Follows redirects without reading their bodies, which may be endless."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        fp.close()
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
