"""Identity of the running code: the version, and a digest that tells an edited copy from a release."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

PACKAGE = __name__.partition(".")[0]
TEXT_SUFFIX = ".py"
COMPILED_SUFFIXES = (".so", ".pyd")


def package_version() -> str:
    """Return the version of the package."""
    # Not an import: the package itself imports the modules that call this.
    return str(sys.modules[PACKAGE].__version__)


@cache
def source_digest() -> str:
    """Return the SHA-256 of the installed package's code, 64 hexadecimal digits.

    Compiled extensions count; byte-code caches, line endings and the place of installation do not. Files are
    read once per process: code that is edited while it runs goes unnoticed.
    """
    return digest_of(files(PACKAGE))


def digest_of(folder: Traversable) -> str:
    """Return the SHA-256 of the names and contents of the code in a folder and its subfolders."""
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
