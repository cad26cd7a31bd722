"""The error terms that kernels know, each a type of its own, like the activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hebbian_descent.kernels.compilation import compiled_as
from hebbian_descent.kernels.exponential import tanh


class Difference(NamedTuple):
    """E = h − t."""


class Saturating(NamedTuple):
    """E = saturation·tanh(steepness·(h − t))."""

    saturation: float = 1.0
    steepness: float = 1.0


class LeakyHinge(NamedTuple):
    """E = −t while t·h < 1, else leak."""

    leak: float = 0.01


ErrorTerm = Difference | Saturating | LeakyHinge

ERROR_TERMS: dict[str, type[ErrorTerm]] = {
    "difference": Difference,
    "saturating": Saturating,
    "leaky_hinge": LeakyHinge,
}


def _saturating(kind: Any, t: Any, h: Any) -> Any:
    number = type(h)
    return number(kind.saturation) * tanh(number(kind.steepness) * (h - t))


ERRORS: dict[type, Callable[..., Any]] = {
    Difference: lambda kind, t, h: h - t,
    Saturating: _saturating,
    LeakyHinge: lambda kind, t, h: -t if t * h < 1 else type(h)(kind.leak),
}


def error(kind: ErrorTerm, t: float, h: float) -> float:
    """Return E(t, h)."""
    raise NotImplementedError  # chosen from ERRORS when a kernel is compiled


@compiled_as(error)
def _compiled_error(kind: Any, t: Any, h: Any) -> Callable[..., Any]:
    return ERRORS[kind.instance_class]
