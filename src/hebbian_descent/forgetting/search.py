"""The search for the shape of a law of forgetting: the best point of a grid, then the minimum nearby.

For a given shape, the scale and the level of the least squares fit follow from a linear equation.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.forgetting.laws import LAWS, Law, grid_of
from hebbian_descent.forgetting.points import Points, Range

MOST_AGES_IN_GRID = 1000
ANYWHERE: Range = (-np.inf, np.inf)
SLOWEST = 1e-12
"""The smallest |b| of a law that must fall."""
EPSILON = float(np.finfo(np.float64).eps)
PRECISE, QUICK = 1e-9, 1e-4
"""Relative precision of a law's two shape parameters: of a fit, and of each of many resamples."""


def best_shape(law: Law, points: Points, level: Range | None, precision: float) -> tuple[float, ...]:
    """Return the shape parameters of the least squares fit; `level` bounds an asymptote, None means none."""
    return _refined(law, _best_of_grid(law, points, level), points, level, precision)


def _best_of_grid(law: Law, points: Points, level: Range | None) -> tuple[float, ...]:
    if len(points.age) > MOST_AGES_IN_GRID:  # a few are enough to tell where on the grid to look
        chosen = np.unique(np.geomspace(1, len(points.age), MOST_AGES_IN_GRID).astype(np.int64)) - 1
        points = Points(points.age[chosen], points.mean[chosen], points.weight[chosen], points.spread)
    grid, shapes, squares = _shapes(law, points.age.tobytes())
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
    rises = shapes[:, -1] > shapes[:, 0]
    if _must_fall(level) and not rises.all():
        rss[rises] = np.inf
    return grid[int(np.argmin(rss))]


def _must_fall(level: Range | None) -> bool:
    """Return whether s falls to 0, so that a level within bounds is where the law ends, not its start."""
    return level is not None and level != ANYWHERE


@lru_cache(maxsize=len(LAWS))
def _shapes(law: Law, ages: bytes) -> tuple[list[tuple[float, ...]], Array, Array]:
    """Return the grid of a law, and its shape at each point of it, of size 1, with its squares."""
    age = np.frombuffer(ages)
    grid = grid_of(law, age)
    columns = (column[:, np.newaxis] for column in np.array(grid).T)
    shapes = law.shape(age, *columns)
    shapes = shapes / np.maximum(np.abs(shapes).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return grid, shapes, np.maximum(shapes**2, np.finfo(np.float64).tiny)


def _refined(
    law: Law, start: tuple[float, ...], points: Points, level: Range | None, precision: float
) -> tuple[float, ...]:
    from scipy.optimize import minimize, minimize_scalar  # only here: it takes 0.25 s to import

    def residual(*shape: float) -> float:
        return float(_residuals(law.shape(points.age, *shape)[np.newaxis], points, level)[0])

    candidates = law.grid(points.age)
    if len(start) == 1:
        best = int(np.flatnonzero(candidates[0] == start[0])[0])
        low, high = candidates[0][max(best - 1, 0)], candidates[0][min(best + 1, len(candidates[0]) - 1)]
        if start[0] < 0 and _must_fall(level):
            high = min(high, -SLOWEST)
        found = minimize_scalar(residual, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
        return min((float(found.x),), start, key=lambda shape: residual(*shape))

    # Two shape parameters are searched by their logarithms; their signs and the ends of the grid stay.
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


def scale_and_level(shape: Array, points: Points, level: Range | None) -> tuple[float, float]:
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
