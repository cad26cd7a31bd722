"""A digest of the package's own code: equal where the same code is installed, whatever its version says.

Versions do not tell an edited copy from a released one, and code decides numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

TEXT_SUFFIX = ".py"
COMPILED_SUFFIXES = (".so", ".pyd")


@cache
def source_digest() -> str:
    """Return the SHA-256 of the installed package's code, 64 hexadecimal digits.

    Compiled extensions count, byte-code caches and line endings do not, nor does the place of installation.
    Files are read once per process: code that is edited while it runs is not noticed.
    """
    return digest_of(files(__name__.partition(".")[0]))


def digest_of(folder: Traversable) -> str:
    """Return the SHA-256 over the names and contents of the code in a folder and the folders below it."""
    contents = {name: hashlib.sha256(content).hexdigest() for name, content in _code(folder, "")}
    return hashlib.sha256(
        "".join(f"{contents[name]} {name}\n" for name in sorted(contents)).encode()
    ).hexdigest()


def _code(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _code(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(TEXT_SUFFIX):
            yield prefix + entry.name, entry.read_bytes().replace(b"\r\n", b"\n")
        elif entry.name.endswith(COMPILED_SUFFIXES):
            yield prefix + entry.name, entry.read_bytes()
