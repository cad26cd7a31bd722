"""From rows to a verdict: paired differences, their 99 % intervals, a sign for each cell, a word for all.

One mechanism for tables, claims and studies. A difference is paired: its two sides saw the same patterns and
initial weights, which removes most of what repetitions differ by. A cell is for a sentence (+1), against it
(−1) or open (0); a rule makes a word of the signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit  # Student's t; scipy.stats would take half a second to import

CONFIDENCE = 0.99

Word = Literal[
    "not run",
    "does not hold",
    "undecided",
    "misprint (corrected it holds)",
    "holds with limits",
    "holds",
]
"""A verdict, the weakest first."""


def weakest(words: Iterable[Word]) -> Word:
    """Return the verdict on a sentence of several parts: that of its weakest part."""
    return min(words, key=get_args(Word).index)


def student(freedom: npt.ArrayLike) -> np.ndarray:
    """Return the quantile of Student's t below which 99 % lie, in absolute value."""
    return stdtrit(np.maximum(freedom, 1), (1 + CONFIDENCE) / 2)


class Interval(NamedTuple):
    """A mean with the half width of its 99 % interval (Student's t)."""

    mean: float
    half: float

    @property
    def is_certain(self) -> bool:
        """Whether zero lies outside, so that the sign is known."""
        return abs(self.mean) > self.half

    def within(self, bound: float) -> bool:
        """Whether all of the interval lies within ±bound."""
        return abs(self.mean) + self.half <= bound

    def __str__(self) -> str:
        mean = round(self.mean, 4) or 0.0  # no −0.0000
        return f"{mean:+.4f} ± {self.half:.4f}"


def interval(values: npt.ArrayLike) -> Interval:
    """Return the mean of paired differences, one per draw, with its interval; infinite for a single draw."""
    numbers = np.asarray(values, dtype=float)
    n = len(numbers)
    half = student(n - 1) * numbers.std(ddof=1) / np.sqrt(n) if n > 1 else np.inf
    return Interval(float(numbers.mean()), float(half))


def gains(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return by how much errors of `first` are smaller, per cell, and how much chance alone would leave.

    Both have a line per cell and a column per repetition (`rows.by_repetition`); only repetitions that both
    have count.
    """
    differences = (second - first).reindex(first.index)
    n = differences.notna().sum(axis=1)
    half = student(n - 1) * differences.std(axis=1) / np.sqrt(n)
    return pd.DataFrame({"gain": differences.mean(axis=1), "chance": half.where(n > 1, np.inf), "n": n})


def on_all(n_for: int, n_against: int, n_excluded: int = 0) -> Word:
    """Return the verdict on "all": `n_excluded` cells are not against it, but the sentence excludes them."""
    if not n_for and not n_against:
        return "undecided"
    if n_against >= n_for:
        return "does not hold"
    return "holds with limits" if n_against or n_excluded else "holds"


def on_most(n_for: int, n_against: int, n: int) -> Word:
    """Return the verdict on "most" or "often" of n cells, which asks more than that few are against it."""
    if not n_for and not n_against:
        return "undecided"
    if n_against >= n_for:
        return "does not hold"
    return "holds" if 2 * n_for > n else "holds with limits"
