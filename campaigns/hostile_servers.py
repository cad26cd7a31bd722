"""Servers that break every rule of HTTP, each next to a good mirror, all on the loopback interface."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import os
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import repeat
from pathlib import Path
from unittest.mock import patch

from campaigns.campaign import Campaign
from hebbian_descent.datasets.dataset import RemoteFile
from hebbian_descent.datasets.download import fetch_file
from hebbian_descent.datasets.formats import OVERHEAD, read_content
from hebbian_descent.datasets.transfer import SLOWEST

CONTENT = random.Random(0).randbytes(3000) + bytes(2000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
TIMEOUT = 1.0
MOST_SECONDS = 2 * (TIMEOUT + len(CONTENT) / SLOWEST) + 3  # for both servers, on a busy machine
MOST_SENT = 20_000_000  # the buffers of each connection take megabytes before a server must wait
MOST_REQUESTS = 30
OK = b"HTTP/1.1 200 OK\r\n"

Answer = Iterable[bytes]
"""What a server sends, piece by piece."""


class Server:
    """Sends raw bytes: the true file at /good, whatever the trial specifies elsewhere."""

    def __init__(self, bad: Callable[[str], Answer], packed: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._bad, self._packed = bad, packed
        self.n_requests = self.n_sent = 0
        self.good_asked = False
        self.stopped = threading.Event()

    def run(self) -> None:
        with suppress(OSError):  # closed
            while not self.stopped.is_set():
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(10)
            path = connection.recv(65536).decode("latin-1").partition(" ")[2].partition(" ")[0]
            if path == "/good":
                self.good_asked = True
                connection.sendall(OK + b"Content-Length: %d\r\n\r\n" % len(self._packed) + self._packed)
                return
            self.n_requests += 1
            for piece in self._bad(path):
                if self.stopped.is_set():
                    return
                if piece is RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                connection.sendall(piece)
                self.n_sent += len(piece)

    def stop(self) -> None:
        self.stopped.set()
        with suppress(OSError):
            socket.create_connection(self._listener.getsockname(), 1).close()  # wakes up accept
        self._listener.close()


@contextmanager
def serving(bad: Callable[[str], Answer], packed: bytes) -> Iterator[Server]:
    server = Server(bad, packed)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


def trial(number: int, folder: Path) -> str:
    """Fetch a file from a hostile server and, when that fails, from a good one."""
    rng = random.Random(number)
    kind = KINDS[number % len(KINDS)]
    ending, pack = rng.choice((("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)))
    packed = pack(CONTENT)
    with serving(lambda path: kind(rng, path, packed), packed) as server:
        bad = hostile_address(rng, kind, server.address)
        remote = RemoteFile(f"table{ending}", (bad, f"http://{server.address}/good"), SHA256, len(CONTENT))
        received = [0]
        began = time.monotonic()
        with patch.dict(os.environ, {"NO_PROXY": "*"}):
            path = fetch_file(
                remote,
                folder,
                mirrors=(),
                timeout=TIMEOUT,
                report=lambda n_bytes, total: received.append(n_bytes),
            )
        seconds = time.monotonic() - began
    assert list(folder.iterdir()) == [path], "something else was written"
    assert read_content(path) == CONTENT, "another file"
    assert seconds < MOST_SECONDS, f"{seconds:.1f} s"
    assert max(received) <= len(CONTENT) + OVERHEAD, f"{max(received)} bytes were taken"
    assert server.n_sent < MOST_SENT, f"{server.n_sent} bytes were sent"
    assert server.n_requests < MOST_REQUESTS, f"{server.n_requests} requests"
    return "fetched from the good mirror" if server.good_asked else "fetched from a hostile server, whole"


RESET = b"reset"


def hostile_address(rng: random.Random, kind: Kind, server: str) -> str:
    if kind is not bad_address:
        scheme = "https" if kind is bad_handshake else "http"
        return f"{scheme}://{server}/bad"
    return rng.choice(
        (
            "http://127.0.0.1:99999/bad",
            "http://127.0.0.1:9/bad",
            "http://[::1/bad",
            "http://127.0.0.1:x/bad",
            "http:///bad",
            f"http://{server}/b a\td",
            f"http://{server}/\u00fc\u20ac",
            "http://\u00fc." + "x" * 70 + ".invalid/bad",
            "http://" + "." * 70 + "/bad",
            f"http://user:password@{server}/bad",
            "file:///etc/hosts",
            "ftp://127.0.0.1:9/bad",
            "data:,bad",
            "no address",
        )
    )


# --- kinds of hostility: each returns what is sent in reply to a request ------------------------------------

Kind = Callable[[random.Random, str, bytes], Answer]


def bad_status(rng: random.Random, path: str, packed: bytes) -> Answer:
    lines = (
        b"",
        b"\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 -200 OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"\0" * 100,
        b"HTTP/1.1 200 " + b"x" * 100_000 + b"\r\n\r\n",
        packed,
        rng.randbytes(1000),
    )
    return [rng.choice(lines)]


def other_status(rng: random.Random, path: str, packed: bytes) -> Answer:
    code = rng.choice((101, 204, 206, 300, 304, 400, 401, 403, 404, 407, 418, 429, 451, 500, 503, 599, 999))
    return [b"HTTP/1.1 %d No\r\nContent-Length: 5\r\n\r\nsorry" % code]


def escapes_in_reason(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [b"HTTP/1.1 404 \x1b[2J\x1b]0;owned\x07\x9b31m\r\n\r\n"]


def too_many_headers(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [OK, *repeat(b"X-More: 1\r\n", rng.choice((101, 5000))), b"\r\n", packed]


def header_too_long(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [OK, b"X-Long: ", b"x" * rng.choice((66_000, 1_000_000)), b"\r\n\r\n", packed]


def endless_header(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield OK
    yield from repeat(rng.choice((b"x" * 10_000, b"X: " + b"y" * 60_000 + b"\r\n", b" folded\r\n")))


def odd_length(rng: random.Random, path: str, packed: bytes) -> Answer:
    lengths = (
        b"-1",
        b"0x10",
        b"1e3",
        b"",
        b"\xb2",
        b"9" * 5000,
        b"0",
        b"10",
        b"10, 10",
        b"%d" % (len(packed) + 9),
    )
    return [OK, b"Content-Length: " + rng.choice(lengths) + b"\r\n\r\n", packed[: rng.choice((0, 10, -1))]]


def two_lengths(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [OK, b"Content-Length: 7\r\nContent-Length: %d\r\n\r\n" % len(packed), packed]


def length_of_gigabytes(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield OK + b"Content-Length: 10000000000\r\n\r\n"
    yield from repeat(rng.randbytes(100_000))


def endless_body(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield OK + b"\r\n"
    yield from repeat(rng.randbytes(100_000))


def endless_chunks(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield OK + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from repeat(rng.choice((b"1\r\nx\r\n" * 1000, b"10000\r\n" + bytes(65536) + b"\r\n")))


def bad_chunks(rng: random.Random, path: str, packed: bytes) -> Answer:
    sizes = (b"zz", b"-5", b"", b"f" * 40, b"f" * 70_000, b"\xff", b"5", b"5;" + b"x" * 70_000)
    return [OK, b"Transfer-Encoding: chunked\r\n\r\n", rng.choice(sizes), b"\r\nabc"]


def endless_trailers(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
    yield from repeat(b"X-Trailer: 1\r\n" * 1000)


def endless_continue(rng: random.Random, path: str, packed: bytes) -> Answer:
    return repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def truncated(rng: random.Random, path: str, packed: bytes) -> Answer:
    keep = rng.randrange(len(packed))
    length = rng.choice((b"", b"Content-Length: %d\r\n" % len(packed)))
    return [OK, length, b"\r\n", packed[:keep], *rng.choice(([], [RESET]))]


def wrong_content(rng: random.Random, path: str, packed: bytes) -> Answer:
    changed = bytearray(packed)
    changed[rng.randrange(20, len(packed) - 20)] ^= 1 << rng.randrange(8)
    bodies = (b"", b"<html>login first</html>", rng.randbytes(len(packed)), bytes(changed), packed + b"!")
    return [OK, b"\r\n", rng.choice(bodies)]


def bomb(rng: random.Random, path: str, packed: bytes) -> Answer:
    pack = rng.choice((gzip.compress, bz2.compress))
    return [OK, b"\r\n", pack(bytes(20_000_000))]


def silence(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield rng.choice((b"", OK, OK + b"\r\n" + packed[:9]))
    time.sleep(2 * TIMEOUT)


def reset(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [rng.choice((b"", OK, OK + b"\r\n" + packed[:9])), RESET]


def drip(rng: random.Random, path: str, packed: bytes) -> Answer:
    chunked = b"Transfer-Encoding: chunked\r\n\r\n"
    begun = rng.choice((b"", OK, OK + b"\r\n", OK + chunked, OK + b"Content-Length: 5000\r\n\r\n"))
    yield begun
    for _ in range(100):
        time.sleep(TIMEOUT / 10)
        yield b"0"


def redirect_in_circles(rng: random.Random, path: str, packed: bytes) -> Answer:
    target = rng.choice((path, path + "x", path + "?again", "//" + "x" * 3)).encode()
    return [b"HTTP/1.1 %d Moved\r\nLocation: " % rng.choice((301, 302, 303, 307, 308)) + target + b"\r\n\r\n"]


def redirect_elsewhere(rng: random.Random, path: str, packed: bytes) -> Answer:
    targets = (
        b"file:///etc/hosts",
        b"ftp://127.0.0.1:9/x",
        b"data:,x",
        b"gopher://127.0.0.1:9/x",
        b"javascript:1",
        b"http://[::1",
        b"http://127.0.0.1:99999/",
        b"http://127.0.0.1:9/x",
        b"https://127.0.0.1:9/x",
        b"http://\xff\xfe/",
        b"http://127.0.0.1:9/\x1b[2J",
        b"",
        b"http://",
        b"x" * 60_000,
    )
    return [b"HTTP/1.1 302 Found\r\nLocation: " + rng.choice(targets) + b"\r\n\r\n"]


def redirect_with_endless_body(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield b"HTTP/1.1 302 Found\r\nLocation: " + rng.choice((b"/bad", b"file:///etc/hosts")) + b"\r\n\r\n"
    yield from repeat(bytes(100_000))


def error_with_endless_body(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield b"HTTP/1.1 500 No\r\n\r\n"
    yield from repeat(bytes(100_000))


def bad_handshake(rng: random.Random, path: str, packed: bytes) -> Answer:
    yield rng.choice(
        (OK + b"\r\n" + packed, rng.randbytes(500), b"\x16\x03\x03\xff\xff" + bytes(70_000), b"")
    )
    time.sleep(rng.choice((0, 2 * TIMEOUT)))


def compressed_on_the_way(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [OK, b"Content-Encoding: gzip\r\n\r\n", gzip.compress(packed)]


def bad_address(rng: random.Random, path: str, packed: bytes) -> Answer:
    return [OK, b"\r\nnot here"]


KINDS: tuple[Kind, ...] = (
    bad_status,
    other_status,
    escapes_in_reason,
    too_many_headers,
    header_too_long,
    endless_header,
    odd_length,
    two_lengths,
    length_of_gigabytes,
    endless_body,
    endless_chunks,
    bad_chunks,
    endless_trailers,
    endless_continue,
    truncated,
    wrong_content,
    bomb,
    silence,
    reset,
    drip,
    redirect_in_circles,
    redirect_elsewhere,
    redirect_with_endless_body,
    error_with_endless_body,
    bad_handshake,
    compressed_on_the_way,
    bad_address,
)

CAMPAIGN = Campaign(
    title="Hostile servers",
    promise="the file comes from the next mirror, whole and alone, within bounds of size and time",
    trial=trial,
    goal=80,
    in_tests=len(KINDS),
    block=9,
    seconds=30,
)
