"""A public file: what it is called, where it lives, and how to know it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MIRRORS_VARIABLE = "HEBBIAN_DESCENT_MIRRORS"


@dataclass(frozen=True)
class RemoteFile:
    """A file and its homes, in the order in which they are tried.

    Digest and size are those of the decompressed content, since recompressing changes the file but not the
    data; `digest_of="file"` is for archives of which only those of the file itself are known.
    """

    name: str
    urls: tuple[str, ...]
    sha256: str
    size: int
    digest_of: Literal["content", "file"] = "content"

    def addresses(self, mirrors: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return where to look: in `mirrors`, folders on the web that hold the file by name, else at home."""
        bases = mirrors_from_environment() if mirrors is None else tuple(mirrors)
        for base in bases:
            if not base.startswith(("http://", "https://")):
                raise ValueError(
                    f"A mirror must be an address that begins with http:// or https://. Got {base!r}."
                )
        return tuple(f"{base.rstrip('/')}/{self.name}" for base in bases) or self.urls


def mirrors_from_environment() -> tuple[str, ...]:
    """Return the addresses in HEBBIAN_DESCENT_MIRRORS, which stand apart by spaces."""
    return tuple(os.environ.get(MIRRORS_VARIABLE, "").split())
