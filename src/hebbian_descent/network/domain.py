"""Domains of targets: where Φ* and the matching loss are finite."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array


@dataclass(frozen=True)
class Interval:
    """All numbers from `low` to `high`; the ends are included unless `open_ends`. Infinite ends never are."""

    low: float = -inf
    high: float = inf
    open_ends: bool = False

    def contains(self, targets: Array) -> npt.NDArray[np.bool_]:
        """Return where `targets` lie inside, element by element."""
        if self.open_ends:
            return (targets > self.low) & (targets < self.high)
        return (targets >= self.low) & (targets <= self.high) & np.isfinite(targets)

    def any_point(self, n_units: int) -> float:
        """Return one number of the interval, to stand in where a target lies outside."""
        ends = [end for end in (self.low, self.high) if not isinf(end)]
        return {0: 0.0, 1: self.low + 1, 2: (self.low + self.high) / 2}[len(ends)]

    def __str__(self) -> str:
        left = "(" if self.open_ends or isinf(self.low) else "["
        right = ")" if self.open_ends or isinf(self.high) else "]"
        return f"{left}{_short(self.low)}, {_short(self.high)}{right}"


@dataclass(frozen=True)
class Simplex:
    """All vectors of non-negative numbers that sum to one, up to the square root of the rounding unit."""

    def contains(self, targets: Array) -> npt.NDArray[np.bool_]:
        """Return which rows of `targets` lie inside; the last axis is kept with length one."""
        tolerance = np.sqrt(np.finfo(targets.dtype).eps)
        sums_to_one = np.abs(targets.sum(axis=-1, keepdims=True) - 1) <= tolerance
        inside: npt.NDArray[np.bool_] = sums_to_one & (targets >= 0).all(axis=-1, keepdims=True)
        return inside

    def any_point(self, n_units: int) -> float:
        """Return the entry of the uniform distribution, to stand in where a row lies outside."""
        return 1 / n_units

    def __str__(self) -> str:
        return "the simplex (non-negative, summing to one)"


def _short(end: float) -> str:
    return {inf: "∞", -inf: "-∞"}.get(end, f"{end:.6g}")
