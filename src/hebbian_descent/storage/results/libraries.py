"""Telling library code from user code.

A library's function counts by its name: its text would drag half of the library into the key. The standard
library, NumPy, SciPy and this package count by name alone (a cell's file records their versions, and this
package's numbers have their own version in the specification); any other installed library counts by name
and version. Everything else is user code, and counts by its text.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np

BY_NAME_ALONE = frozenset({"hebbian_descent", "numpy", "scipy"})
SITE_FOLDERS = frozenset({"site-packages", "dist-packages"})
STANDARD_FOLDER = Path(os.__file__).parent


def is_library(module_name: str) -> bool:
    """Return whether a module belongs to the standard library or to an installed library with a version."""
    return library_version(module_name) is not None


def library_version(module_name: str) -> str | None:
    """Return a library's version, empty where the name alone counts, or None for a user's module."""
    top = module_name.partition(".")[0]
    if top in BY_NAME_ALONE or _is_standard(top):
        return ""
    return _installed_version(top) if _is_installed(top) else None


def library_name(value: object) -> dict[str, str] | None:
    """Return the name under which a library offers a value, or None for anything else."""
    if isinstance(value, np.ufunc):
        module_name, name = _home_of_ufunc(value), value.__name__
    elif isinstance(value, ModuleType):
        module_name, name = value.__name__, ""
    else:
        module_name = getattr(value, "__module__", None) or ""
        name = getattr(value, "__qualname__", "")
    version = library_version(module_name)
    if version is None or _lookup(module_name, name) is not value:
        return None
    named = {"name": f"{module_name}.{name}".rstrip(".")}
    return {**named, "version": version} if version else named


def _is_standard(top: str) -> bool:
    # The name is not enough: a user's test.py or statistics.py shares a name with the standard library.
    origin = _origin(top)
    is_built_in = origin in ("built-in", "frozen") or origin.endswith(tuple(EXTENSION_SUFFIXES))
    return top in sys.stdlib_module_names and (is_built_in or Path(origin).is_relative_to(STANDARD_FOLDER))


def _is_installed(top: str) -> bool:
    # An editable install lies outside these folders: its text changes while its version stays.
    return not SITE_FOLDERS.isdisjoint(Path(_origin(top)).parts)


def _origin(top: str) -> str:
    module = sys.modules.get(top)
    try:
        spec = find_spec(top) if module is None else module.__spec__
    except (ImportError, ValueError):
        return ""
    return "" if spec is None or spec.origin is None else spec.origin


def _installed_version(top: str) -> str | None:
    version = getattr(sys.modules.get(top), "__version__", None)
    if isinstance(version, str):
        return version
    try:
        return importlib.metadata.version(top)
    except importlib.metadata.PackageNotFoundError:
        return None


def _home_of_ufunc(function: np.ufunc) -> str:
    # A ufunc need not say where it comes from.
    homes = ("numpy", "scipy.special")
    return next((home for home in homes if _lookup(home, function.__name__) is function), "")


def _lookup(module_name: str, name: str) -> object:
    found: object = sys.modules.get(module_name)
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return found
