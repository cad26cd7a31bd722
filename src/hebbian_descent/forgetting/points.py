"""Measured forgetting: one or several curves by age, pooled into a mean per age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array

Curve: TypeAlias = tuple[Array, Array]
"""Ages, and a value for each."""
Range: TypeAlias = tuple[float, float]
"""The lowest and the highest level at which a law may end."""


@dataclass(frozen=True, eq=False)
class Points:
    """The mean of all values of each age; weighted by their counts, means have the same least squares fit."""

    age: Array
    mean: Array
    weight: Array
    """The number of values of each age."""
    spread: float
    """The sum of squares of the values around the means, which no law can explain."""

    @classmethod
    def of(cls, curves: Sequence[Curve]) -> Points:
        """Pool curves, which may have different lengths."""
        values = np.concatenate([value for _, value in curves])
        age, place = np.unique(np.concatenate([age for age, _ in curves]), return_inverse=True)
        weight = np.bincount(place).astype(np.float64)
        mean = np.bincount(place, values) / weight
        return cls(age, mean, weight, float(((values - mean[place]) ** 2).sum()))

    @property
    def n(self) -> int:
        """The number of measured values."""
        return int(self.weight.sum())


def as_curve(age: Any, value: Any) -> Curve:
    """Return ages and values as arrays that can be fitted, or raise a `ValueError`."""
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


def as_curves(age: Any, values: Any) -> list[Curve]:
    """Return one curve, or several: values of shape (n_curves, n_ages), or lists of ages and of values."""
    if _is_list_of_curves(values):
        ages = age if _is_list_of_curves(age) else [np.asarray(age)[: len(value)] for value in values]
        if len(ages) != len(values):
            raise ValueError(
                f"There must be ages for each curve, or one list of ages for all. Got {len(ages)} and "
                f"{len(values)} curves."
            )
        return [as_curve(*curve) for curve in zip(ages, values, strict=True)]
    return [as_curve(age, values)]


def _is_list_of_curves(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim == 2
    return len(values) > 0 and all(np.ndim(value) == 1 for value in values)


def natural_range(values: npt.ArrayLike) -> Range:
    """Return the range of the measure that values seem to come from: [0, 1], [−1, 1], [0, ∞) or all numbers.

    Errors of units between 0 and 1 and retention lie in the first, correlations in the second.
    """
    low, high = float(np.min(values)), float(np.max(values))
    if low >= -1 and high <= 1:
        return (0.0 if low >= 0 else -1.0), 1.0
    return (0.0 if low >= 0 else -np.inf), np.inf
