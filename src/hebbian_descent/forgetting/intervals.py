"""Bootstrap intervals of the parameters of a law of forgetting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hebbian_descent.checks import as_count, as_number
from hebbian_descent.forgetting.fit import Fit, as_range, fit_law, get_law
from hebbian_descent.forgetting.laws import Law
from hebbian_descent.forgetting.points import Curve, Points, Range, as_curves
from hebbian_descent.forgetting.search import QUICK

ENOUGH_CURVES = 5
"""Fewest curves that are resampled as a whole; with fewer, a resample is too often one curve repeated."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """A fit with an interval for each of its parameters."""

    fit: Fit
    intervals: Mapping[str, tuple[float, float]]
    level: float
    """The intended probability that an interval holds the true value."""
    resampled: Literal["curves", "residuals"]
    """What was resampled."""

    def __str__(self) -> str:
        parts = (
            f"{name} {self.fit.parameters[name]:.4g} ({low:.4g} to {high:.4g})"
            for name, (low, high) in self.intervals.items()
        )
        return f"{self.fit.name}: {', '.join(parts)}; {100 * self.level:g} % by resampled {self.resampled}"


def parameter_intervals(
    age: Any,
    values: Any,
    law: str | Law,
    *,
    asymptote: bool = False,
    bounds: Range | Literal["auto"] | None = "auto",
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
) -> Intervals:
    """Fit a law to one or several forgetting curves, with bootstrap intervals of its parameters.

    `age` and `values` are as in `compare_laws`. Five curves or more are resampled as a whole, with
    replacement. With fewer, residuals change sign at random, in blocks of ∛n neighbouring ages (the wild
    bootstrap; Wu, 1986): they keep their size at each age and the correlation of neighbours, but what a
    whole curve has in common is not seen. Intervals are percentiles of the resampled parameters.

    >>> age, noise = np.arange(1, 101), np.random.default_rng(0).normal(0, 0.02, 100)
    >>> found = parameter_intervals(age, 0.9 * np.exp(-0.05 * age) + noise, "exponential")
    >>> low, high = found.intervals["rate"]
    >>> round(low, 3), round(high, 3), found.resampled
    (-0.051, -0.048, 'residuals')
    """
    curves, found = as_curves(age, values), get_law(law)
    share = as_number(level, "level of the intervals", above=0, at_most=1)
    limits = as_range(bounds, np.concatenate([value for _, value in curves]))
    best = fit_law(Points.of(curves), found, asymptote=asymptote, bounds=limits)
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    by_curves = len(curves) >= ENOUGH_CURVES
    drawn = []
    for _ in range(as_count(resamples, "number of resamples", at_least=10)):
        again = _drawn_curves(curves, rng) if by_curves else _with_new_signs(curves, best, rng)
        fit = fit_law(Points.of(again), found, asymptote=asymptote, bounds=limits, precision=QUICK)
        drawn.append(list(fit.parameters.values()))
    low, high = np.quantile(drawn, [(1 - share) / 2, (1 + share) / 2], axis=0)
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    intervals = dict(zip(best.parameters, pairs, strict=True))
    return Intervals(best, intervals, share, "curves" if by_curves else "residuals")


def _drawn_curves(curves: Sequence[Curve], rng: np.random.Generator) -> list[Curve]:
    return [curves[i] for i in rng.integers(len(curves), size=len(curves))]


def _with_new_signs(curves: Sequence[Curve], fit: Fit, rng: np.random.Generator) -> list[Curve]:
    again = []
    for age, value in curves:
        n, n_parameters = len(age), len(fit.parameters)
        length = round(n ** (1 / 3))
        # The first block begins anywhere, so that no two ages are always together.
        block = (np.argsort(np.argsort(age)) + rng.integers(length)) // length
        sign = rng.choice([-1.0, 1.0], size=block.max() + 1)[block]
        predicted = fit.predict(age)
        # Residuals are smaller than errors, since the fit has followed them.
        size = np.sqrt(n / max(n - n_parameters, 1))
        again.append((age, predicted + sign * size * (value - predicted)))
    return again
