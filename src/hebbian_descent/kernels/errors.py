"""The error terms that kernels know, told apart while they run: one compiled loop serves all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hebbian_descent.kernels.compilation import inlined
from hebbian_descent.kernels.exponential import tanh

NAMES = ("difference", "saturating", "leaky_hinge")
DIFFERENCE, SATURATING, LEAKY_HINGE = range(3)


class ErrorTerm(NamedTuple):
    """Which of the error terms, with the parameters that it has; the others mean nothing."""

    which: float = DIFFERENCE
    saturation: float = 1.0
    steepness: float = 1.0
    leak: float = 0.01


def error_term(name: str, parameters: Mapping[str, float]) -> ErrorTerm:
    """Return an error term by the name and parameters that the rules give it."""
    return ErrorTerm(NAMES.index(name), **parameters)


@inlined
def set_error(term: Any, t: Any, h: Any, errors: Any) -> None:
    """Set errors = E(t, h): h − t, saturation·tanh(steepness·(h − t)), or −t while t·h < 1, else leak."""
    number = type(h[0])
    if term.which == DIFFERENCE:
        for unit in range(h.size):
            errors[unit] = h[unit] - t[unit]
    elif term.which == SATURATING:
        saturation, steepness = number(term.saturation), number(term.steepness)
        for unit in range(h.size):
            errors[unit] = saturation * tanh(steepness * (h[unit] - t[unit]))
    else:
        for unit in range(h.size):
            errors[unit] = -t[unit] if t[unit] * h[unit] < 1 else number(term.leak)
