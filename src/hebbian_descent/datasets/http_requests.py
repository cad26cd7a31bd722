"""HTTP and HTTPS requests whose connections are bounded in time and in bytes.

Imported when a download starts, since urllib.request is slow to import.
"""

from __future__ import annotations

import io
from email.message import Message
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import IO, Any
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

from hebbian_descent.datasets.transfer import Deadline

FRAMING = 1 << 20
"""Bytes that headers and chunk markers may take, on top of twice the file size."""


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
    # A server that compresses on the way would make the announced length that of something else.
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
