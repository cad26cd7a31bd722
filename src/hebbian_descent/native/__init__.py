"""The compiled core: one extension module per instruction level; the first use chooses one.

`HEBBIAN_DESCENT_ISA` forces a level; `HEBBIAN_DESCENT_NATIVE=0` selects the plain loops.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from hebbian_descent.native._native import Core

LEVELS = ("v4", "v3", "baseline")
"""The best first."""


class NativeWarning(UserWarning):
    """The compiled core is missing or turned off: the plain loops run instead, far more slowly."""


class Choice(NamedTuple):
    """The module in use and its level, or why there is none."""

    core: Core | None
    level: str | None
    why_not: str


@cache
def core() -> Core | None:
    """Return the module for this processor, or None with a warning that the plain loops run instead."""
    found = choice()
    if found.core is None:
        warnings.warn(
            f"The compiled core of hebbian_descent is not used: {found.why_not}. Results are the same up to "
            "rounding, but the plain loops take many times longer.",
            NativeWarning,
            stacklevel=3,
        )
    return found.core


def choice() -> Choice:
    """Return what `core` uses, without a warning.

    Raises:
        ValueError: if the environment asks for a level that cannot run here.
    """
    if not _wanted():
        return Choice(None, None, "HEBBIAN_DESCENT_NATIVE=0 turns it off")
    try:
        levels = runnable_levels()
        level = _asked(levels) or next(iter(levels), None)
        if level is not None:
            return Choice(_module(level), level, "")
    except ImportError as error:
        return Choice(None, None, f"it cannot be loaded ({error})")
    return Choice(
        None,
        None,
        "it was not built when the package was installed. Install a C++ compiler, then repeat "
        "`pip install --force-reinstall --no-cache-dir`",
    )


def built_levels() -> tuple[str, ...]:
    """Return the levels whose modules are installed, the best first."""
    return tuple(level for level in LEVELS if importlib.util.find_spec(_name(level)) is not None)


def runnable_levels() -> tuple[str, ...]:
    """Return the levels that are installed and that this processor can run, the best first."""
    built = built_levels()
    if "baseline" not in built:
        return ()
    baseline = _module("baseline")  # the others must not even be imported on an older processor
    return tuple(level for level in built if baseline.supports(level))


def _wanted() -> bool:
    setting = os.environ.get("HEBBIAN_DESCENT_NATIVE") or "1"
    if setting not in ("0", "1"):
        raise ValueError(
            f"HEBBIAN_DESCENT_NATIVE must be 0, to turn the compiled core off, or 1. Got {setting!r}."
        )
    return setting == "1"


def _asked(levels: tuple[str, ...]) -> str | None:
    """Return the level that the environment requests, if any."""
    asked = os.environ.get("HEBBIAN_DESCENT_ISA") or None
    if asked is not None and asked not in levels:
        raise ValueError(
            f"HEBBIAN_DESCENT_ISA must be a level that was built and that this processor can run: "
            f"{', '.join(levels) or 'none is'}. Got {asked!r}."
        )
    return asked


def _module(level: str) -> Core:
    return cast("Core", importlib.import_module(_name(level)))


def _name(level: str) -> str:
    return f"{__name__}._{level}"
