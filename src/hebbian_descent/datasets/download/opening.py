"""Web addresses opened for reading, by HTTP and HTTPS alone.

Imported where a download begins, since urllib.request takes long to import.
"""

from __future__ import annotations

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

from hebbian_descent.datasets.download.deadline import Deadline


def open_url(url: str, timeout: float, deadline: Deadline) -> HTTPResponse:
    """Send a request for `url`, follow redirects, and return the answer with its body unread."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        UnknownHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
        _Redirects(),
        _Web(deadline),
    ):
        opener.add_handler(handler)
    # A server that compresses on the way would make the announced length that of something else.
    request = Request(url, headers={"User-Agent": "hebbian-descent", "Accept-Encoding": "identity"})
    response: HTTPResponse = opener.open(request, timeout=timeout)
    return response


class _Web(AbstractHTTPHandler):
    """Opens connections that a deadline watches."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(self._watched(HTTPConnection), request)

    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(self._watched(HTTPSConnection), request)

    http_request = https_request = AbstractHTTPHandler.do_request_

    def _watched(self, kind: type[HTTPConnection]) -> Any:
        deadline = self._deadline

        class Watched(kind):  # type: ignore[misc, valid-type]
            def connect(self) -> None:
                super().connect()
                deadline.watch(self.sock)

        return Watched


class _Redirects(HTTPRedirectHandler):
    """Follows redirects without reading the bodies they come with, which may be endless."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        fp.close()
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
