"""Laws of forgetting: v = a·s(age), where s is a power, an exponential or something between.

Each law is linear in the scale a, and in the level c that may be added to it; one or two numbers shape s.
For given shape parameters the others follow from linear least squares, so that a grid over the shape
parameters finds the global best fit to any data, without an initial guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from hebbian_descent.checks import Array

POINTS_PER_SIDE = 200
POINTS_IN_TWO = 28
"""Points on each side of the grid of a law with two shape parameters."""
FASTEST = 5.0
"""The largest |b| of a power law, and of an exponential per smallest gap between two ages."""
LARGEST_LOGARITHM = 300.0
"""Upper bound on the logarithm of s, so that no power overflows."""


@dataclass(frozen=True)
class Law:
    """A law of forgetting, given by its shape s(age; parameters); one of `LAWS` or your own.

    >>> logarithm = Law("logarithm", "a·ln(1 + age/τ)", ("time",), lambda t, tau: np.log1p(t / tau),
    ...                 lambda t: [np.geomspace(0.1, 100, 50)])
    """

    name: str
    formula: str
    parameters: tuple[str, ...]
    """Names of the shape parameters."""
    shape: Callable[..., Array]
    """s, a function of the ages and one number for each shape parameter."""
    grid: Callable[[Array], list[Array]]
    """Candidates for each shape parameter, for given ages, in ascending order; one parameter or two."""
    contains: frozenset[str] = frozenset()
    """Laws that are special cases or limits of this one."""
    can_level_off: bool = True
    """Whether a level c may be added."""


def _power(age: Array, b: float) -> Array:
    return np.asarray(age**b)


def _powers(age: Array) -> list[Array]:
    largest = min(FASTEST, LARGEST_LOGARITHM / max(1.0, float(np.abs(np.log(age)).max())))
    return [_both_signs(np.geomspace(1e-4, largest, POINTS_PER_SIDE))]


def _exponential(age: Array, b: float) -> Array:
    return np.asarray(np.exp(b * age))


def _rates(age: Array) -> list[Array]:
    gap, span = float(np.diff(np.unique(age)).min()), float(np.ptp(age))
    largest = min(FASTEST / gap, LARGEST_LOGARITHM / float(age.max()))
    return [_both_signs(np.geomspace(min(1e-3 / span, largest / 2), largest, POINTS_PER_SIDE))]


def _wickelgren(age: Array, beta: float, b: float) -> Array:
    return np.asarray((1 + beta * age) ** b)


def _wickelgren_grid(age: Array) -> list[Array]:
    rates = np.geomspace(0.01 / age.max(), 100 / age.min(), POINTS_IN_TWO)
    largest = min(20.0, LARGEST_LOGARITHM / np.log1p(rates[-1] * age.max()))
    return [rates, _both_signs(np.geomspace(0.02, largest, POINTS_IN_TWO))]


def _weibull(age: Array, tau: float, k: float) -> Array:
    return np.asarray(np.exp(-((age / tau) ** k)))


def _weibull_grid(age: Array) -> list[Array]:
    return [np.geomspace(age.min() / 10, 10 * age.max(), POINTS_IN_TWO), np.geomspace(0.1, 5, POINTS_IN_TWO)]


def _identity(age: Array) -> Array:
    return age


def _nothing(age: Array) -> list[Array]:
    return []


LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        Law("power_law", "a·age^b", ("exponent",), _power, _powers),
        Law("exponential", "a·e^(b·age)", ("rate",), _exponential, _rates),
        Law("line", "a + b·age", (), _identity, _nothing, can_level_off=False),
        Law(
            "wickelgren",
            "a·(1 + β·age)^b",
            ("rate", "exponent"),
            _wickelgren,
            _wickelgren_grid,
            contains=frozenset({"power_law", "exponential"}),  # for β → ∞, and for β → 0 at a given βb
        ),
        Law(
            "stretched_exponential",
            "a·e^−(age/τ)^k",
            ("time", "shape"),
            _weibull,
            _weibull_grid,
            contains=frozenset({"exponential"}),  # k = 1
        ),
    )
}
"""Power law, exponential and line; Wickelgren's (1974) power law; the stretched exponential, or Weibull."""


def grid_of(law: Law, age: Array) -> list[tuple[float, ...]]:
    """Return all combinations of the candidates of a law's shape parameters."""
    return [tuple(map(float, point)) for point in product(*law.grid(age))]


def _both_signs(speeds: Array) -> Array:
    return np.concatenate([-speeds[::-1], speeds])
