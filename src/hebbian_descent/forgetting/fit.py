"""Least squares fits of the laws of forgetting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, unknown_name
from hebbian_descent.forgetting.laws import LAWS, Law
from hebbian_descent.forgetting.points import Points, Range, as_curve, natural_range
from hebbian_descent.forgetting.search import ANYWHERE, EPSILON, PRECISE, best_shape, scale_and_level

CLASSIC = ("power_law", "exponential", "line")


@dataclass(frozen=True)
class Fit:
    """A law fitted to values by age, with its goodness of fit."""

    name: str
    parameters: Mapping[str, float]
    predicted: Array
    residual_sum_of_squares: float
    aic: float
    """n·ln(RSS/n) + 2k, where k counts the parameters and the variance of the residuals; lower is better."""
    aicc: float
    """AIC + 2k(k + 1)/(n − k − 1), which penalises parameters more where values are few; inf for n ≤ k + 1.

    Both assume independent, normal residuals of equal variance. Errors of neighbouring ages are often
    correlated, and vary more where they are large: then differences are overstated, and several draws,
    compared by `compare_laws`, say more than many ages of one.
    """
    law: Law = field(repr=False)

    @property
    def label(self) -> str:
        """The law, and whether it has an asymptote."""
        return f"{self.name} with asymptote" if "asymptote" in self.parameters else self.name

    def predict(self, age: npt.ArrayLike) -> Array:
        """Return the value of the fitted law at other ages."""
        law, values = self.law, dict(self.parameters)
        shape = law.shape(np.asarray(age, dtype=np.float64), *(values[name] for name in law.parameters))
        if law.name == "line":
            return values["intercept"] + values["slope"] * shape
        return values["scale"] * shape + values.get("asymptote", 0.0)

    def __str__(self) -> str:
        values = ", ".join(f"{name} {value:.4g}" for name, value in self.parameters.items())
        return f"{self.name}: {values}, AIC {self.aic:.1f}"


def fit_forgetting(
    age: npt.ArrayLike,
    value: npt.ArrayLike,
    *,
    asymptote: bool = False,
    laws: Sequence[str | Law] = CLASSIC,
    bounds: Range | Literal["auto"] | None = "auto",
) -> dict[str, Fit]:
    """Fit v = a·age^b, v = a·e^(b·age) and v = a + b·age, or other `laws`, even your own, by least squares.

    Ages are above 0; that of the pattern learned last is 1. b is negative for what falls with age, such as
    retention, and positive for what rises, such as errors. With `asymptote` a level c is added to all laws
    but the line, for errors that level off; AIC penalises them for one more parameter. The level stays
    within `bounds`: by default the range of the measure, [0, 1] if all values lie there. b is then negative,
    so that the law ends at this level. None allows any level and any b.

    >>> age = np.arange(1, 101)
    >>> fits = fit_forgetting(age, 0.9 * age**-0.3)
    >>> min(fits, key=lambda name: fits[name].aic), round(fits["power_law"].parameters["exponent"], 3)
    ('power_law', -0.3)

    Paper: sec:HD_weight_decay_experiments
    """
    t, v = as_curve(age, value)
    points, level = Points.of([(t, v)]), as_range(bounds, v)
    fits = [fit_law(points, get_law(name), asymptote=asymptote, bounds=level) for name in laws]
    return {fit.name: replace(fit, predicted=fit.predict(t)) for fit in fits}


def fit_law(points: Points, law: Law, *, asymptote: bool, bounds: Range, precision: float = PRECISE) -> Fit:
    """Return the best fit of one law: the best of a grid of its shape parameters, then the minimum nearby."""
    if law.name == "line":
        slope, intercept = scale_and_level(points.age, points, ANYWHERE)
        return _finished(law, {"intercept": intercept, "slope": slope}, points)
    level = bounds if asymptote and law.can_level_off else None
    shape = best_shape(law, points, level, precision)
    scale, end = scale_and_level(law.shape(points.age, *shape), points, level)
    parameters = {"scale": scale, **dict(zip(law.parameters, shape, strict=True))}
    return _finished(law, parameters if level is None else {**parameters, "asymptote": end}, points)


def get_law(name: str | Law) -> Law:
    """Return a law by name; your own law is returned as it is."""
    if isinstance(name, Law):
        return name
    if name not in LAWS:
        raise unknown_name("law of forgetting", name, LAWS)
    return LAWS[name]


def as_range(bounds: Range | Literal["auto"] | None, values: npt.ArrayLike) -> Range:
    """Return the range of a level, which "auto" takes from the values."""
    if bounds is None:
        return ANYWHERE
    if isinstance(bounds, str):
        if bounds != "auto":
            raise ValueError(f"The bounds must be a pair (low, high), 'auto' or None. Got {bounds!r}.")
        return natural_range(values)
    low, high = map(float, bounds)
    if not low < high:
        raise ValueError(f"The bounds must be a pair (low, high) with low < high. Got {bounds!r}.")
    return low, high


def _finished(law: Law, parameters: dict[str, float], points: Points) -> Fit:
    blank = Fit(law.name, parameters, points.mean, 0.0, 0.0, 0.0, law)
    predicted = blank.predict(points.age)
    rss = float((points.weight * (points.mean - predicted) ** 2).sum()) + points.spread
    n, k = points.n, len(parameters) + 1
    # A perfect fit is perfect up to rounding, and no two of them can be told apart.
    rounding = 32 * EPSILON
    floor = rounding**2 * (float((points.mean**2).mean()) or 1.0)
    aic = float(n * np.log(max(rss / n, floor)) + 2 * k)
    aicc = aic + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else np.inf
    return replace(blank, predicted=predicted, residual_sum_of_squares=rss, aic=aic, aicc=aicc)
