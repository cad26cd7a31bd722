"""Measures of recall: one number per pattern, from its target and the network's output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, unknown_name


@dataclass(frozen=True)
class Measure:
    """A function of targets and outputs, (n_patterns, n_outputs) each, with one number per pattern."""

    name: str
    title: str
    function: Callable[[Array, Array], Array]
    higher_is_better: bool = False
    sees_one_pattern: bool = True
    """Whether a pattern's number depends only on its own target and output."""

    @property
    def is_built_in(self) -> bool:
        """Whether this is the package's own, and not a user's of the same name."""
        return MEASURES.get(self.name) is self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the package's own by name, so that they stay built-in in other processes."""
        if self.is_built_in:
            return get_measure, (self.name,)
        state = self.name, self.title, self.function, self.higher_is_better, self.sees_one_pattern
        return type(self), state

    def __call__(self, targets: Array, output: Array) -> Array:
        """Return the measure of each pattern."""
        return self.function(targets, output)

    def checked(self, targets: Array, output: Array) -> Array:
        """Return the measure of each pattern, after checking what a custom function returns."""
        found = np.asarray(self.function(targets, output))
        if found.shape != (len(targets),):
            raise ValueError(
                f"The measure {self.name!r} must return one number per pattern, {len(targets)} of them. "
                f"Got shape {found.shape}."
            )
        return found


MeasureLike: TypeAlias = "str | Measure | Callable[[Array, Array], Array]"
"""A name of `MEASURES`, a measure, or a function of targets and outputs to one number per pattern."""


def mean_absolute_error(targets: Array, output: Array) -> Array:
    """Return the mean absolute deviation of the output units."""
    error: Array = np.abs(output - targets).mean(axis=1)
    return error


def mean_squared_error(targets: Array, output: Array) -> Array:
    """Return the mean squared deviation of the output units."""
    error: Array = ((output - targets) ** 2).mean(axis=1)
    return error


def pearson_correlation(targets: Array, output: Array) -> Array:
    """Return the correlation of output and target over the units; 0 where one of them is constant.

    It ignores the scale: an output of half the size correlates perfectly.
    """
    # A mean of equal numbers may differ from them in its last bit; a mean of zeros is zero.
    t, h = targets - targets[:, :1], output - output[:, :1]
    t, h = t - t.mean(axis=1, keepdims=True), h - h.mean(axis=1, keepdims=True)
    lengths = np.sqrt((t * t).sum(axis=1) * (h * h).sum(axis=1))
    correlation: Array = (t * h).sum(axis=1) / np.where(lengths > 0, lengths, 1)
    return correlation


def identified(targets: Array, output: Array) -> Array:
    """Return 1 where the target nearest to the output is the right one (or equal to it), else 0."""
    squares = (targets * targets).sum(axis=1)
    distance = squares[None, :] - 2 * output @ targets.T  # less the square of the output, common to a row
    nearest = distance.argmin(axis=1)
    hits: Array = (targets[nearest] == targets).all(axis=1).astype(output.dtype)
    return hits


def misclassified(targets: Array, output: Array) -> Array:
    """Return 1 where the largest output, the first one on ties, is not at the largest target."""
    misses: Array = (output.argmax(axis=1) != targets.argmax(axis=1)).astype(output.dtype)
    return misses


MEASURES: dict[str, Measure] = {
    "mae": Measure("mae", "Mean absolute error", mean_absolute_error),
    "mse": Measure("mse", "Mean squared error", mean_squared_error),
    "correlation": Measure("correlation", "Correlation", pearson_correlation, higher_is_better=True),
    "identification": Measure(
        "identification", "Identified patterns", identified, higher_is_better=True, sees_one_pattern=False
    ),
    "misclassification": Measure("misclassification", "Misclassified patterns", misclassified),
}


OTHER_VALUES = ("hidden_activity", "diverged_at", "diverged")
"""What results hold besides measures; no measure can have these names."""


def get_measure(measure: MeasureLike) -> Measure:
    """Return a measure by name; a function becomes one that sees all patterns, the lower the better."""
    if isinstance(measure, Measure):
        return measure
    if callable(measure):
        name = getattr(measure, "__name__", type(measure).__name__)
        return Measure(name, name, measure, sees_one_pattern=False)
    if measure not in MEASURES:
        raise unknown_name("measure", measure, MEASURES)
    return MEASURES[measure]


def get_measures(measures: MeasureLike | Sequence[MeasureLike]) -> Mapping[str, Measure]:
    """Return one measure or several, by name."""
    single = isinstance(measures, str) or callable(measures)  # as a Measure is
    listed: Sequence[MeasureLike] = [measures] if single else list(measures)  # type: ignore[list-item, arg-type]
    found = {measure.name: measure for measure in map(get_measure, listed)}
    if len(found) < len(listed):
        raise ValueError(
            f"The measures must have different names. Got {len(listed)}, named {', '.join(found)}."
        )
    taken = {*MEASURES, *OTHER_VALUES}
    for name in [name for name in found if name in taken and not found[name].is_built_in]:
        raise ValueError(
            f"A custom measure must have a name other than {', '.join(sorted(taken))}. Got {name!r}."
        )
    return found
