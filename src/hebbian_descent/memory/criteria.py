"""Criteria of capacity: a measure of recall compared with a number."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, unknown_name
from hebbian_descent.measures import MEASURES, mean_absolute_error, pearson_correlation

Readout: TypeAlias = Literal["threshold", "winners"]
CriterionLike: TypeAlias = str | Callable[[Array, Array], Any]

COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
PATTERN = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*([-+.\deE]+)\s*(%?)\s*")
READOUTS = ("threshold", "winners")
OF_BINARY = {"error": mean_absolute_error, "overlap": pearson_correlation}


@dataclass(frozen=True)
class Criterion:
    """A criterion such as "error < 1 %", or a function from targets and recalled patterns to True or False.

    "error" is the share of wrong units, "overlap" the correlation with the target, both after recall is made
    binary; any other name is one of `MEASURES`. All are averaged over the patterns.
    """

    text: str
    function: Callable[[Array, Array], Any] | None = None

    @classmethod
    def of(cls, given: CriterionLike) -> Criterion:
        """Check a criterion."""
        if callable(given):
            return cls(getattr(given, "__name__", type(given).__name__), given)
        found = PATTERN.fullmatch(given) if isinstance(given, str) else None
        if found is None:
            raise ValueError(
                "The criterion must be a measure compared with a number, such as 'error < 1 %' or "
                f"'identification > 0.95', or a function of targets and recalled patterns. Got {given!r}."
            )
        if found[1] not in (*OF_BINARY, *MEASURES):
            raise unknown_name("measure of a criterion", found[1], (*OF_BINARY, *MEASURES))
        try:
            float(found[3])
        except ValueError:
            raise ValueError(f"The criterion must compare with a number. Got {given!r}.") from None
        return cls(" ".join(given.split()))

    def judge(self, targets: Array, recalled: Array, readout: Readout) -> tuple[float, bool]:
        """Return the mean of the measure over the patterns, and whether the criterion holds."""
        if self.function is not None:
            holds = bool(self.function(targets, recalled))
            return float(holds), holds
        found = PATTERN.fullmatch(self.text)
        assert found is not None
        name, comparison, number, percent = found.groups()
        if name in OF_BINARY:
            made = binary(recalled, targets, readout).astype(np.float64)
            score = float(OF_BINARY[name](active(targets).astype(np.float64), made).mean())
        else:
            score = float(MEASURES[name](targets, recalled).mean())
        return score, bool(COMPARISONS[comparison](score, float(number) / (100 if percent else 1)))


def active(patterns: Array) -> Array:
    """Return which units are above the middle of the range of all patterns."""
    above: Array = patterns > (patterns.min() + patterns.max()) / 2
    return above


def binary(recalled: Array, targets: Array, readout: Readout) -> Array:
    """Return recalled patterns made binary.

    "threshold" turns on units above the middle of the range of the targets; "winners" turns on the largest
    units, as many as are active in the target, as inhibition that keeps the activity constant would.
    """
    if readout == "threshold":
        above: Array = recalled > (targets.min() + targets.max()) / 2
        return above
    rank = np.argsort(np.argsort(-recalled, axis=1, kind="stable"), axis=1)
    winners: Array = rank < active(targets).sum(axis=1, keepdims=True)
    return winners


def information(targets: Array, recalled: Array, prototype: Array | None = None) -> float:
    """Return how many bits recalled patterns carry about their targets, both binary, over all units.

    A unit of a pattern carries I = H(p) − f·H(m) − (1 − f)·H(e), where H(p) = −p·log₂p − (1 − p)·log₂(1 − p),
    f is the share of active units in the targets, p in what is recalled, m the share of active units missed,
    e of inactive units wrongly active. Without errors it is H(f). If patterns share a prototype, units that
    are on and off in it are counted separately, so that the prototype itself carries no information.
    """
    classes = np.zeros(targets.shape[1]) if prototype is None else prototype
    parts = ((targets[:, classes == kind], recalled[:, classes == kind]) for kind in np.unique(classes))
    return float(sum(t.size * _per_unit(t, r) for t, r in parts))


def _per_unit(targets: Array, recalled: Array) -> float:
    f = float(targets.mean())
    missed = float(1 - recalled[targets > 0].mean()) if f > 0 else 0.0
    added = float(recalled[targets == 0].mean()) if f < 1 else 0.0
    gain = _entropy(float(recalled.mean())) - f * _entropy(missed) - (1 - f) * _entropy(added)
    return max(gain, 0.0)


def _entropy(p: float) -> float:
    return float(-p * np.log2(p) - (1 - p) * np.log2(1 - p)) if 0 < p < 1 else 0.0
