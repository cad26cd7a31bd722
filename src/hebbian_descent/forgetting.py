"""Forgetting by age: what a memory has kept of each pattern, and the laws fitted to it, compared by AIC.

Power law, exponential and straight line are linear in all of their parameters but one, the exponent or rate
b. For a given b the others follow from linear least squares, so that only b has to be searched for, along one
line: the best fit of all is found from any data, without a first guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array

POINTS_PER_SIDE = 200
FASTEST = 5.0
"""The largest |b| of a power law, and of an exponential per smallest gap between two ages."""
LARGEST_LOGARITHM = 300.0
"""Upper bound on b·age, so that no power overflows."""


@dataclass(frozen=True)
class Fit:
    """A curve fitted to values by age, with its goodness of fit."""

    name: str
    parameters: Mapping[str, float]
    predicted: Array
    residual_sum_of_squares: float
    aic: float
    """n·ln(RSS/n) + 2k, where k counts the parameters and the variance of the residuals; lower is better."""

    def __str__(self) -> str:
        values = ", ".join(f"{name} {value:.4g}" for name, value in self.parameters.items())
        return f"{self.name}: {values}, AIC {self.aic:.1f}"


def fit_forgetting(age: npt.ArrayLike, value: npt.ArrayLike, *, asymptote: bool = False) -> dict[str, Fit]:
    """Fit v = a·age^b, v = a·e^(b·age) and v = a + b·age, by least squares.

    Ages are above 0; that of the pattern learned last is 1. b is negative for what falls with age, as
    retention, and positive for what rises, as errors. With `asymptote` a level c is added to power law and
    exponential, which an error needs that levels off; AIC charges them for the third parameter.

    >>> age = np.arange(1, 101)
    >>> fits = fit_forgetting(age, 0.9 * age**-0.3)
    >>> min(fits, key=lambda name: fits[name].aic), round(fits["power_law"].parameters["exponent"], 3)
    ('power_law', -0.3)

    Paper: sec:HD_weight_decay_experiments
    """
    t, v = _checked(age, value)
    return {
        "power_law": _power_law(t, v, asymptote),
        "exponential": _exponential(t, v, asymptote),
        "line": _line(t, v),
    }


def _power_law(age: Array, value: Array, asymptote: bool) -> Fit:
    largest = min(FASTEST, LARGEST_LOGARITHM / max(1.0, float(np.abs(np.log(age)).max())))
    candidates = _both_signs(np.geomspace(1e-4, largest, POINTS_PER_SIDE))
    b = _search(lambda b: age**b, candidates, value, asymptote)
    return _curve("power_law", "exponent", b, age**b, value, asymptote)


def _exponential(age: Array, value: Array, asymptote: bool) -> Fit:
    gap, span = float(np.diff(np.unique(age)).min()), float(np.ptp(age))
    largest = min(FASTEST / gap, LARGEST_LOGARITHM / float(age.max()))
    candidates = _both_signs(np.geomspace(min(1e-3 / span, largest / 2), largest, POINTS_PER_SIDE))
    b = _search(lambda b: np.exp(b * age), candidates, value, asymptote)
    return _curve("exponential", "rate", b, np.exp(b * age), value, asymptote)


def _line(age: Array, value: Array) -> Fit:
    columns = np.column_stack([np.ones_like(age), age])
    (a, b), predicted = _least_squares(columns, value)
    return _fit("line", {"intercept": float(a), "slope": float(b)}, predicted, value)


def _curve(name: str, speed: str, b: float, shape: Array, value: Array, asymptote: bool) -> Fit:
    coefficients, predicted = _least_squares(_columns(shape, asymptote), value)
    parameters = {"scale": float(coefficients[0]), speed: b}
    if asymptote:
        parameters["asymptote"] = float(coefficients[1])
    return _fit(name, parameters, predicted, value)


def _search(shape: Callable[[float], Array], candidates: Array, value: Array, asymptote: bool) -> float:
    """Return the b of the smallest residual: the best of a grid, then the minimum between its neighbours."""
    from scipy.optimize import minimize_scalar  # a quarter of a second that only those pay who fit

    def residual(b: float) -> float:
        _, predicted = _least_squares(_columns(shape(b), asymptote), value)
        return float(((value - predicted) ** 2).sum())

    best = int(np.argmin([residual(b) for b in candidates]))
    low, high = candidates[max(best - 1, 0)], candidates[min(best + 1, len(candidates) - 1)]
    found = minimize_scalar(residual, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return float(min((float(found.x), float(candidates[best])), key=residual))


def _columns(shape: Array, asymptote: bool) -> Array:
    return np.column_stack([shape, np.ones_like(shape)]) if asymptote else shape[:, np.newaxis]


def _least_squares(columns: Array, value: Array) -> tuple[Array, Array]:
    size = np.abs(columns).max(axis=0)  # columns of very different size would cost digits
    coefficients = np.linalg.lstsq(columns / size, value)[0] / size
    return coefficients, columns @ coefficients


def _fit(name: str, parameters: dict[str, float], predicted: Array, value: Array) -> Fit:
    n, k = len(value), len(parameters) + 1
    rss = float(((value - predicted) ** 2).sum())
    # A perfect fit is perfect up to rounding, and no two of them can be told apart.
    rounding = 32 * float(np.finfo(np.float64).eps)
    floor = rounding**2 * (float((value**2).mean()) or 1.0)
    return Fit(name, parameters, predicted, rss, float(n * np.log(max(rss / n, floor)) + 2 * k))


def _both_signs(speeds: Array) -> Array:
    return np.concatenate([-speeds[::-1], speeds])


def _checked(age: Any, value: Any) -> tuple[Array, Array]:
    t, v = np.asarray(age, dtype=np.float64), np.asarray(value, dtype=np.float64)
    if t.ndim != 1 or t.shape != v.shape:
        raise ValueError(f"There must be one value for each age. Got shapes {t.shape} and {v.shape}.")
    if not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise ValueError("Ages and values must be finite. Got some that are not: leave those patterns out.")
    if not (t > 0).all():
        raise ValueError(
            f"Ages must be above 0. Got {t.min():g}: count the pattern that was learned last as age 1."
        )
    if len(np.unique(t)) < 5:
        raise ValueError(
            f"Curves of three parameters need at least 5 different ages. Got {len(np.unique(t))}."
        )
    return t, v


@dataclass(frozen=True, eq=False)
class ForgettingCurve:
    """One number per pattern, the most recent first: `age` 1 is the pattern that was stored last."""

    age: npt.NDArray[np.int64]
    value: Array
    measure: str

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """A power law, an exponential and a line through the values."""
        return fit_forgetting(self.age, self.value)

    @cached_property
    def fits_with_asymptote(self) -> dict[str, Fit]:
        """The same, with a level at which power law and exponential may end."""
        return fit_forgetting(self.age, self.value, asymptote=True)

    @property
    def best_fit(self) -> Fit:
        """The fit of the lowest AIC, without asymptotes."""
        return min(self.fits.values(), key=lambda fit: fit.aic)
