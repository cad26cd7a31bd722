"""What a memory has kept of each pattern, by its age."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.forgetting import Fit, fit_forgetting


@dataclass(frozen=True, eq=False)
class ForgettingCurve:
    """One number a pattern, the most recent first: `age` 1 is the pattern that was stored last."""

    age: npt.NDArray[np.int64]
    value: Array
    measure: str

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """A power law, an exponential and a line through the values."""
        return fit_forgetting(self.age, self.value)

    @cached_property
    def fits_with_asymptote(self) -> dict[str, Fit]:
        """The same, with a level at which power law and exponential may end."""
        return fit_forgetting(self.age, self.value, asymptote=True)

    @property
    def best_fit(self) -> Fit:
        """The fit of the lowest AIC, without asymptotes."""
        return min(self.fits.values(), key=lambda fit: fit.aic)
