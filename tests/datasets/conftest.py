"""Fixtures of the dataset tests: a clean environment, the real data, and a web server that can misbehave."""

import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

# Read before tests are prevented from seeing it.
REAL_DATA = os.environ.get("HEBBIAN_DESCENT_DATA")
NOBODY_LISTENS = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give every test an empty cache and no access to the internet."""
    monkeypatch.delenv("HEBBIAN_DESCENT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HEBBIAN_DESCENT_MIRRORS", NOBODY_LISTENS)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder with the real datasets as archives, and the public files in its subfolder raw."""
    if not REAL_DATA:
        pytest.skip("HEBBIAN_DESCENT_DATA does not name a folder with the real datasets")
    return Path(REAL_DATA)


class Handler(BaseHTTPRequestHandler):
    """Answers a path as the server was set up to."""

    server: "Server"

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        behaviour = self.server.behaviours.get(self.path)
        if behaviour is None:
            self.send_error(404)
        else:
            behaviour(self)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, content: bytes, announced: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if announced is None else announced))
        self.end_headers()
        self.wfile.write(content)


class Server(ThreadingHTTPServer):
    """A web server on this machine that can misbehave in every way a mirror can."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours: dict[str, Callable[[Handler], None]] = {}
        self.requests: list[str] = []
        self.closing = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Do not report clients that disconnect: some tests make them."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def serves(self, path: str, content: bytes) -> str:
        self.behaviours[path] = lambda handler: handler.answer(content)
        return self.url + path

    def truncates(self, path: str, content: bytes) -> str:
        self.behaviours[path] = lambda handler: handler.answer(content[: len(content) // 2], len(content))
        return self.url + path

    def stalls(self, path: str) -> str:
        self.behaviours[path] = lambda handler: self.closing.wait()  # type: ignore[assignment]
        return self.url + path

    def stalls_after(self, path: str, beginning: bytes) -> str:
        def behaviour(handler: Handler) -> None:
            handler.answer(beginning, announced=len(beginning) + 1000)
            self.closing.wait()

        self.behaviours[path] = behaviour
        return self.url + path

    def announces(self, path: str, n_bytes: int) -> str:
        self.behaviours[path] = lambda handler: handler.answer(b"", announced=n_bytes)
        return self.url + path

    def never_ends(self, path: str) -> str:
        def behaviour(handler: Handler) -> None:
            handler.send_response(200)
            handler.end_headers()
            while not self.closing.is_set():
                handler.wfile.write(bytes(100_000))

        self.behaviours[path] = behaviour
        return self.url + path

    def drips(self, path: str) -> str:
        def behaviour(handler: Handler) -> None:
            handler.answer(b"", announced=1000)
            while not self.closing.wait(0.1):
                handler.wfile.write(b"x")

        self.behaviours[path] = behaviour
        return self.url + path

    def fails(self, path: str, reason: str) -> str:
        def behaviour(handler: Handler) -> None:
            handler.wfile.write(f"HTTP/1.0 500 {reason}\r\n\r\n".encode())

        self.behaviours[path] = behaviour
        return self.url + path

    def redirects(self, path: str, target: str) -> str:
        def behaviour(handler: Handler) -> None:
            handler.send_response(302)
            handler.send_header("Location", target)
            handler.end_headers()

        self.behaviours[path] = behaviour
        return self.url + path


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a web server for one test."""
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()
