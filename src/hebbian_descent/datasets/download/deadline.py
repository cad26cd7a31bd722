"""A limit on the whole time of a transfer."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Deadline:
    """Ends the connections of one transfer when its time is over, whatever they are waiting for.

    The timeout of a socket is not enough: it starts anew with every byte that a slow server sends.
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
        """Have one more connection ended in time."""
        self._connections.append(connection)
        if self.passed:
            self._end()

    def _end(self) -> None:
        self.passed = True
        for connection in self._connections:
            with suppress(OSError):  # closed already
                # SSLSocket has a method of its own, made for the thread that reads.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
