"""A forgetting curve: what a memory has kept of each pattern, by age."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.forgetting.comparison import Comparison, compare_laws
from hebbian_descent.forgetting.fit import Fit, fit_forgetting
from hebbian_descent.forgetting.intervals import Intervals, parameter_intervals


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
        """The same, with an asymptote of power law and exponential within the range of the measure."""
        return fit_forgetting(self.age, self.value, asymptote=True)

    @cached_property
    def comparison(self) -> Comparison:
        """All laws, with and without asymptote, and whether the values can tell them apart."""
        return compare_laws(self.age, self.value)

    @property
    def best_fit(self) -> Fit:
        """The fit with the lowest AICc among all laws, or a special case of it that is as good.

        `comparison.law` says whether the values decide in its favour.
        """
        return self.comparison.best

    def intervals(self, **options: Any) -> Intervals:
        """Return the best fit with bootstrap intervals of its parameters; see `parameter_intervals`."""
        best = self.best_fit
        with_level = "asymptote" in best.parameters
        return parameter_intervals(self.age, self.value, best.law, asymptote=with_level, **options)
