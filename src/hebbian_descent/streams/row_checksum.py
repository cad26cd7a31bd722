"""A checksum of the rows of a stream, by which a stream that is resumed is known to be the same.

It covers rows as they stand in the file, so that rows to be skipped need not be parsed, and it does not
depend on how they are divided into blocks. Line ends, blank lines and compression do not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any


class RowChecksum:
    """SHA-256 of each part of the rows so far: of their lines, or of each column."""

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}

    def add(self, content: Mapping[str, bytes]) -> None:
        """Take in the next rows, as `Block.content` gives them."""
        for name, data in content.items():
            if name not in self._parts:
                self._parts[name] = hashlib.sha256()
            self._parts[name].update(data)

    def hexdigest(self) -> str:
        """Return the checksum of all rows so far, names included; an empty one if there are none."""
        digests = [f"{name}\n{part.hexdigest()}\n" for name, part in self._parts.items()]
        return hashlib.sha256("".join(digests).encode()).hexdigest() if digests else ""
