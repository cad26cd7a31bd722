"""What is installed and which compiled core is used: the facts that a report of a problem needs."""

from __future__ import annotations

import platform
import re
import sys
from importlib import metadata

import hebbian_descent
from hebbian_descent import native

DISTRIBUTION = "hebbian-descent"


def show_versions() -> None:
    """Print the versions of Python, system and libraries, and the level of the compiled core."""
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
            **{name: _version(name) for name in _requirements()},
        },
        "Compiled core": {
            "used": describe_core(),
            "built": ", ".join(native.built_levels()) or "none",
            "can run here": ", ".join(_runnable()) or "none",
        },
    }


def describe_core() -> str:
    """Return the level of the compiled core, or why there is none."""
    try:
        found = native.choice()
    except ValueError as error:  # a report of a problem should name it
        return f"none ({error})"
    return found.level or f"none ({found.why_not})"


def _runnable() -> tuple[str, ...]:
    try:
        return native.runnable_levels()
    except ImportError:  # `used` says why
        return ()


def _requirements() -> list[str]:
    """Return the names of all libraries that the package asks for, those of the extras too."""
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # sources that are on the path, but not installed
        return []
    return list(dict.fromkeys(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in required))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
