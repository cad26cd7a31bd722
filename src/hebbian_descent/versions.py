"""Installed versions and the compiled core in use: the facts that a bug report needs."""

from __future__ import annotations

import platform
import re
import sys
from importlib import metadata

import hebbian_descent
from hebbian_descent import native

DISTRIBUTION = "hebbian-descent"


def show_versions() -> None:
    """Print the versions of Python, the system and the libraries, and the level of the compiled core."""
    for title, facts in versions().items():
        lines = [f"{name:>20}: {value}" for name, value in facts.items()]
        sys.stdout.write("\n".join([f"{title}:", *lines, "", ""]))


def versions() -> dict[str, dict[str, str]]:
    """Return what `show_versions` prints: names and values under each heading."""
    return {
        "System": {
            "python": " ".join(sys.version.split()),
            "executable": sys.executable,
            "machine": platform.platform(),
        },
        "Libraries": {
            DISTRIBUTION: hebbian_descent.__version__,
            **{name: _version(name) for names in requirements().values() for name in names},
        },
        "Compiled core": {
            "used": describe_core(),
            "built": ", ".join(native.built_levels()) or "none",
            "can run here": ", ".join(_runnable()) or "none",
        },
    }


def describe_package() -> str:
    """Return the version of the package, and the level of the compiled core."""
    return f"{DISTRIBUTION} {hebbian_descent.__version__}, compiled core: {describe_core()}"


def describe_libraries() -> str:
    """Return the versions of Python and of the required libraries."""
    found = (f"{name} {_version(name)}" for name in requirements()[""])
    return ", ".join([f"Python {platform.python_version()}", *found])


def describe_core() -> str:
    """Return the level of the compiled core, or why there is none."""
    try:
        found = native.choice()
    except ValueError as error:  # a bug report should name it
        return f"none ({error})"
    return found.level or f"none ({found.why_not})"


def _runnable() -> tuple[str, ...]:
    try:
        return native.runnable_levels()
    except ImportError:  # `used` says why
        return ()


def requirements() -> dict[str, list[str]]:
    """Return the libraries that each extra installs, and under "" the required ones."""
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # sources that are on the path, but not installed
        required = []
    found: dict[str, list[str]] = {"": []}
    for line in required:
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        name = re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]
        if name != DISTRIBUTION:  # an extra that installs others
            found.setdefault(extra[1] if extra else "", []).append(name)
    return found


def is_installed(name: str) -> bool:
    """Return whether a library is installed, without importing it."""
    return _version(name) != NOT_INSTALLED


NOT_INSTALLED = "not installed"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED
