"""Least squares fits of the laws of forgetting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, unknown_name
from hebbian_descent.forgetting.laws import LAWS, Law, grid_of
from hebbian_descent.forgetting.points import Points, Range, as_curve, natural_range

MOST_AGES_IN_GRID = 2000
CLASSIC = ("power_law", "exponential", "line")
ANYWHERE: Range = (-np.inf, np.inf)
SLOWEST = 1e-12
"""The smallest |b| of a law that must fall."""
EPSILON = float(np.finfo(np.float64).eps)
PRECISE, QUICK = 1e-9, 1e-4
"""Relative precision of a law's two shape parameters: of a fit, and of each of many resamples."""


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
    """AIC + 2k(k + 1)/(n − k − 1), which charges more for parameters where values are few; inf for n ≤ k + 1.

    Both take the residuals for independent, normal and of equal variance. Errors of neighbouring ages are
    often alike, and vary more where they are large: then differences are overstated, and several draws,
    compared by `compare_laws`, say more than many ages of one.
    """

    @property
    def label(self) -> str:
        """The law, and whether it ends at a level."""
        return f"{self.name} with asymptote" if "asymptote" in self.parameters else self.name

    def predict(self, age: npt.ArrayLike) -> Array:
        """Return the value of the fitted law at other ages."""
        law, values = LAWS[self.name], dict(self.parameters)
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
    laws: Sequence[str] = CLASSIC,
    bounds: Range | Literal["auto"] | None = "auto",
) -> dict[str, Fit]:
    """Fit v = a·age^b, v = a·e^(b·age) and v = a + b·age, or other `laws`, by least squares.

    Ages are above 0; that of the pattern learned last is 1. b is negative for what falls with age, as
    retention, and positive for what rises, as errors. With `asymptote` a level c is added to all laws but the
    line, which an error needs that levels off; AIC charges them for one parameter more. The level stays
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
        slope, intercept = _solved(points.age, points, ANYWHERE)
        return _finished(law, {"intercept": intercept, "slope": slope}, points)
    level = bounds if asymptote and law.can_level_off else None
    shape = _refined(law, _best_of_grid(law, points, level), points, level, precision)
    scale, end = _solved(law.shape(points.age, *shape), points, level)
    parameters = {"scale": scale, **dict(zip(law.parameters, shape, strict=True))}
    return _finished(law, parameters if level is None else {**parameters, "asymptote": end}, points)


def get_law(name: str) -> Law:
    """Return a law by name."""
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


def _best_of_grid(law: Law, points: Points, level: Range | None) -> tuple[float, ...]:
    if len(points.age) > MOST_AGES_IN_GRID:  # enough to tell where on the grid to look
        chosen = np.unique(np.geomspace(1, len(points.age), MOST_AGES_IN_GRID).astype(np.int64)) - 1
        points = Points(points.age[chosen], points.mean[chosen], points.weight[chosen], points.spread)
    grid, shapes, squares = _shapes(law.name, points.age.tobytes())
    w, v = points.weight, points.mean
    across, square, total = shapes @ (w * v), squares @ w, shapes @ w
    # The weighted sum of squares, Σ w(v − as − c)², multiplied out: digits lost here do not matter yet.
    end = np.zeros(len(grid))
    if level is not None:
        n, sum_v = w.sum(), w @ v
        variance = np.maximum(square - total**2 / n, EPSILON * square)
        end = np.clip((sum_v - (across - total * sum_v / n) / variance * total) / n, *level)
    across = across - end * total
    rss = (w * v**2).sum() - 2 * end * (w @ v) + end**2 * w.sum() - across**2 / square
    if _must_fall(level):
        rss[shapes[:, -1] > shapes[:, 0]] = np.inf
    return grid[int(np.argmin(rss))]


def _must_fall(level: Range | None) -> bool:
    """Return whether s falls to 0, so that a level within bounds is where the law ends, not its start."""
    return level is not None and level != ANYWHERE


@lru_cache(maxsize=8)
def _shapes(name: str, ages: bytes) -> tuple[list[tuple[float, ...]], Array, Array]:
    """Return the grid of a law, and its shape at each point of it, of size 1, with its squares."""
    age, law = np.frombuffer(ages), LAWS[name]
    grid = grid_of(law, age)
    columns = (column[:, np.newaxis] for column in np.array(grid).T)
    shapes = law.shape(age, *columns)
    shapes = shapes / np.maximum(np.abs(shapes).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return grid, shapes, np.maximum(shapes**2, np.finfo(np.float64).tiny)


def _refined(
    law: Law, start: tuple[float, ...], points: Points, level: Range | None, precision: float
) -> tuple[float, ...]:
    from scipy.optimize import minimize, minimize_scalar  # a quarter of a second that only those pay who fit

    def residual(*shape: float) -> float:
        return float(_residuals(law.shape(points.age, *shape)[np.newaxis], points, level)[0])

    candidates = law.grid(points.age)
    if len(start) == 1:
        best = int(np.flatnonzero(candidates[0] == start[0])[0])
        low, high = candidates[0][max(best - 1, 0)], candidates[0][min(best + 1, len(candidates[0]) - 1)]
        high = min(high, -SLOWEST) if _must_fall(level) else high
        found = minimize_scalar(residual, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
        return min((float(found.x),), start, key=lambda shape: residual(*shape))

    # Of two shape parameters the logarithms are searched, the signs and the ends of the grid stay.
    sign = np.sign(start)
    ends = [np.log(np.abs(side)) for side in candidates]
    lowest, highest = np.array([(side.min(), side.max()) for side in ends]).T

    def of_logarithms(x: Array) -> float:
        if (x < lowest - 1e-9).any() or (x > highest + 1e-9).any():
            return np.inf
        return residual(*(sign * np.exp(x)))

    x = np.log(np.abs(start))
    step = (highest - lowest) / len(candidates[0])
    inwards = np.where(x + step > highest, -step, step)
    nearest = minimize(
        of_logarithms,
        x,
        method="Nelder-Mead",
        options={
            "initial_simplex": [x, *(x + np.diag(inwards))],
            "xatol": precision,
            "fatol": precision * max(of_logarithms(x), np.finfo(np.float64).tiny),
            "maxfev": 600,
        },
    )
    return tuple(float(value) for value in sign * np.exp(nearest.x))


def _solved(shape: Array, points: Points, level: Range | None) -> tuple[float, float]:
    """Return the scale and the level of the least squares fit for a given shape."""
    size = float(np.abs(shape).max()) or 1.0  # shapes of very different size would cost digits
    scale, end = _linear(shape[np.newaxis] / size, points, level)
    return float(scale[0]) / size, float(end[0])


def _residuals(shapes: Array, points: Points, level: Range | None) -> Array:
    """Return the weighted sum of squares that each shape, one per row, leaves at its best scale and level."""
    scale, end = _linear(shapes, points, level)
    residuals = points.mean - scale[:, np.newaxis] * shapes - end[:, np.newaxis]
    total: Array = (points.weight * residuals**2).sum(axis=1)
    return total


def _linear(shapes: Array, points: Points, level: Range | None) -> tuple[Array, Array]:
    w, v = points.weight, points.mean
    if level is None:
        return _scale(shapes, v, w), np.zeros(len(shapes))
    middle, mean = shapes @ w / w.sum(), v @ w / w.sum()
    centered = shapes - middle[:, np.newaxis]
    scale = _scale(centered, v - mean, w)
    free = mean - scale * middle
    end = np.clip(free, *level)
    # The sum of squares is convex: where the best level lies outside, the best within is the nearest end.
    bound = end != free
    scale[bound] = _scale(shapes[bound], v - end[bound, np.newaxis], w)
    return scale, end


def _scale(shapes: Array, values: Array, weight: Array) -> Array:
    across = (weight * shapes * values).sum(axis=1)
    squares = (weight * shapes**2).sum(axis=1)
    scale: Array = np.divide(across, squares, out=np.zeros_like(across), where=squares > 0)
    return scale


def _finished(law: Law, parameters: dict[str, float], points: Points) -> Fit:
    blank = Fit(law.name, parameters, points.mean, 0.0, 0.0, 0.0)
    predicted = blank.predict(points.age)
    rss = float((points.weight * (points.mean - predicted) ** 2).sum()) + points.spread
    n, k = points.n, len(parameters) + 1
    # A perfect fit is perfect up to rounding, and no two of them can be told apart.
    rounding = 32 * EPSILON
    floor = rounding**2 * (float((points.mean**2).mean()) or 1.0)
    aic = float(n * np.log(max(rss / n, floor)) + 2 * k)
    aicc = aic + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else np.inf
    return replace(blank, predicted=predicted, residual_sum_of_squares=rss, aic=aic, aicc=aicc)
