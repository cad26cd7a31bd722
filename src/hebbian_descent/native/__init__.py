"""The compiled core: one extension module per instruction level, of which one is chosen when it is first used.

`HEBBIAN_DESCENT_ISA` forces a level, `HEBBIAN_DESCENT_NATIVE=0` leaves everything to the plain loops.
"""

from __future__ import annotations

import importlib
import os
import warnings
from functools import cache
from types import ModuleType

LEVELS = ("v4", "v3", "baseline")
"""The best first."""


class NativeWarning(UserWarning):
    """The compiled core is not there, or not to be used: the plain loops serve, far more slowly."""


@cache
def core() -> ModuleType | None:
    """Return the module for this processor, or None with a warning where the plain loops have to serve."""
    if os.environ.get("HEBBIAN_DESCENT_NATIVE") == "0":
        reason = "HEBBIAN_DESCENT_NATIVE=0 asks to leave it out"
    elif (baseline := _module("baseline")) is None:
        reason = "it was not built when the package was installed, which takes a C++ compiler"
    else:
        return _chosen(baseline)
    warnings.warn(
        f"The compiled core of hebbian_descent is not used: {reason}. All results are the same but for rounding, "
        "by plain loops that take many times longer.",
        NativeWarning,
        stacklevel=3,
    )
    return None


def _chosen(baseline: ModuleType) -> ModuleType:
    """Return the module of the level asked for, or of the best that this processor can run."""
    runnable = [level for level in LEVELS if baseline.supports(level) and _module(level) is not None]
    asked = os.environ.get("HEBBIAN_DESCENT_ISA")
    if asked and asked not in runnable:
        raise ValueError(
            f"HEBBIAN_DESCENT_ISA must be one of {', '.join(runnable)}, which were built and run on this processor. "
            f"Got {asked!r}."
        )
    module = _module(asked or runnable[0])
    assert module is not None
    return module


def _module(level: str) -> ModuleType | None:
    try:
        return importlib.import_module(f"hebbian_descent.native._{level}")
    except ImportError:
        return None
