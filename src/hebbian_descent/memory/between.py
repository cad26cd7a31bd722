"""Functions applied to the units between two steps of recall: a threshold, signs, k winners, or your own.

Without it, graded outputs that are fed back drift away from the stored patterns: every step mixes in a
little of the others. Making the units two-valued again removes such small errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hebbian_descent.checks import Array, as_count, as_number, as_returned, unknown_name

Between: TypeAlias = Callable[[Array], Array]
"""A function from units, (n_patterns, n_units), to as many numbers."""


@dataclass(frozen=True)
class Threshold:
    """1 for units above `at`, 0 for the others."""

    at: float = 0.5

    def __call__(self, output: Array) -> Array:
        """Return 0 or 1 for each unit."""
        return (output > self.at).astype(output.dtype)


@dataclass(frozen=True)
class Sign:
    """1 for units above `at`, −1 for the others."""

    at: float = 0.0

    def __call__(self, output: Array) -> Array:
        """Return −1 or 1 for each unit."""
        return np.where(output > self.at, 1.0, -1.0)


@dataclass(frozen=True)
class Winners:
    """1 for the k largest units of each pattern, 0 for the others; among equal units the first wins."""

    k: int | float

    def __call__(self, output: Array) -> Array:
        """Return exactly k ones per pattern."""
        n_units = output.shape[1]
        k = max(round(self.k * n_units), 1) if isinstance(self.k, float) else self.k
        if k > n_units:
            raise ValueError(f"There can be at most as many winners as units, {n_units}. Got {k}.")
        winners = (-output).argsort(axis=1, kind="stable")[:, :k]
        units = np.zeros_like(output)
        np.put_along_axis(units, winners, 1, axis=1)
        return units


def threshold(at: float = 0.5) -> Threshold:
    """Return the threshold that turns units on above `at`, and off otherwise.

    >>> threshold(0.3)(np.array([[0.2, 0.4]]))
    array([[0., 1.]])
    """
    return Threshold(as_number(at, "threshold"))


def sign(at: float = 0.0) -> Sign:
    """Return the threshold for units of −1 and 1.

    >>> sign()(np.array([[-0.2, 0.4]]))
    array([[-1.,  1.]])
    """
    return Sign(as_number(at, "threshold"))


def winners(k: int | float | None = None) -> Winners:
    """Return k-winners-take-all: k is a number of units, or their share as a float below 1.

    >>> winners(2)(np.array([[0.2, 0.4, 0.3, 0.1]]))
    array([[0., 1., 1., 0.]])
    """
    if k is None:
        raise ValueError(
            "Winners-take-all needs the number of winners. Got none: try between=winners(20) for 20 units, "
            "or between=winners(0.1) for a tenth of them."
        )
    if isinstance(k, float | np.floating) and not 0 < k < 1:
        raise ValueError(
            f"A share of winners must be above 0 and below 1. Got {k}: a number of units is an int."
        )
    return Winners(float(k) if isinstance(k, float | np.floating) else as_count(k, "number of winners"))


BETWEEN: dict[str, Callable[..., Between]] = {"threshold": threshold, "sign": sign, "winners": winners}


def get_between(between: str | Between | None) -> Between:
    """Return the function between steps by name; your own function is checked at each call."""
    if between is None:
        return _nothing
    if isinstance(between, str):
        if between not in BETWEEN:
            raise unknown_name("function between steps", between, BETWEEN)
        return BETWEEN[between]()
    if not callable(between) or isinstance(between, type):
        raise TypeError(
            f"What happens between steps must be a name or a function of the units. Got {between!r}: try "
            '"threshold" or winners(20).'
        )
    return _Checked(between)


def _nothing(output: Array) -> Array:
    return output


@dataclass(frozen=True)
class _Checked:
    """A function whose result must be finite numbers, one for each unit."""

    function: Between

    def __call__(self, output: Array) -> Array:
        returned = self.function(output.copy())  # it may work in place
        found = as_returned(returned, output, by="function between steps").astype(np.float64)
        if not np.isfinite(found).all():
            raise ValueError(
                f"The function between steps must return finite numbers. Got {found[~np.isfinite(found)][0]}."
            )
        return found
