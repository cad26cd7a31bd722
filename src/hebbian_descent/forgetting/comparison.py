"""Which law of forgetting fits best, and whether the data can tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from hebbian_descent.checks import as_count
from hebbian_descent.forgetting.fit import Fit, as_range, fit_law, get_law
from hebbian_descent.forgetting.laws import LAWS, Law
from hebbian_descent.forgetting.points import Points, Range, as_curves
from hebbian_descent.forgetting.search import PRECISE, QUICK

UNDECIDED = "undecided"
NEGLIGIBLE = 2.0
"""Difference in AICc up to which a special case of the best law is preferred to it."""
DECISIVE = 0.9
"""Share of the evidence that a law needs against all others."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Laws of forgetting, with and without asymptote, compared by AICc."""

    fits: Mapping[str, Fit]
    """All candidates by `label`, the lowest AICc first."""
    n_curves: int
    chosen_in_resamples: Mapping[str, int] = field(default_factory=dict)
    """How often each law was chosen when the curves were resampled with replacement; empty for one curve."""

    @property
    def best(self) -> Fit:
        """The fit of the lowest AICc, or the simplest special case of it whose AICc is at most 2 higher."""
        return chosen(list(self.fits.values()))

    @property
    def differences(self) -> dict[str, float]:
        """AICc of each candidate less the lowest."""
        lowest = min(fit.aicc for fit in self.fits.values())
        return {label: fit.aicc - lowest for label, fit in self.fits.items()}

    @property
    def weights(self) -> dict[str, float]:
        """Akaike weights e^(−Δ/2), divided by their sum (Burnham and Anderson, 2002)."""
        evidence = {label: float(np.exp(-delta / 2)) for label, delta in self.differences.items()}
        return {label: value / sum(evidence.values()) for label, value in evidence.items()}

    @property
    def support(self) -> float:
        """The share of the evidence for the best law, against laws that do not contain it.

        The evidence is the Akaike weights of one curve, or how often each law is chosen when several curves
        are resampled with replacement. A law that contains the best one always fits as well: it does not
        count.
        """
        best, weights = self.best, self.weights
        if self.chosen_in_resamples:
            shares = self.chosen_in_resamples
            containing = {fit.name for fit in self.fits.values() if best.name in fit.law.contains}
            pro = float(shares.get(best.name, 0))
            contra = sum(
                float(share) for name, share in shares.items() if name not in {best.name, *containing}
            )
        else:
            pro = sum(weights[label] for label, fit in self.fits.items() if fit.name == best.name)
            contra = sum(
                weights[label]
                for label, fit in self.fits.items()
                if fit.name != best.name and not _is_special_case(best, fit)
            )
        return pro / (pro + contra) if pro else 0.0

    @property
    def law(self) -> str:
        """The name of the best law if its support is at least 0.9, or else "undecided"."""
        return self.best.name if self.support >= DECISIVE else UNDECIDED

    def __str__(self) -> str:
        lines = [f"{'law':37} {'ΔAICc':>8} {'weight':>7}"]
        lines += [
            f"{label:37} {self.differences[label]:8.1f} {self.weights[label]:7.3f}" for label in self.fits
        ]
        return "\n".join([*lines, f"{self.law} (best {self.best.label}, support {self.support:.2f})"])


def compare_laws(
    age: Any,
    values: Any,
    *,
    laws: Sequence[str | Law] = tuple(LAWS),
    bounds: Range | Literal["auto"] | None = "auto",
    resamples: int = 100,
    seed: int = 0,
) -> Comparison:
    """Fit all laws, with and without an asymptote, to one or several forgetting curves, and compare them.

    Args:
        age: Age of each value, above 0; 1 is the pattern learned last.
        values: One per age; or several curves, as shape (n_curves, n_ages), or as a list of curves of
            different length, each of which begins with the first age; or a list of curves for a list of ages.
        laws: Names of `LAWS`, or your own.
        bounds: Range of an asymptote; by default that of the measure, such as [0, 1].
        resamples: How often several curves are resampled, to see whether the same law is chosen.
        seed: Seed of the resamples.

    Several curves are independent draws of the same experiment: their values are pooled for the fits. AICc
    assumes independent, normal residuals of equal variance, which those of one curve are not (see `Fit`). The
    resamples only assume that the curves are independent. Use at least five.

    >>> age, noise = np.arange(1, 101), np.random.default_rng(0).normal(0, 0.01, (8, 100))
    >>> compare_laws(age, 0.5 - 0.4 * np.exp(-0.05 * age) + noise, resamples=20).law
    'exponential'
    """
    curves = as_curves(age, values)
    level = as_range(bounds, np.concatenate([value for _, value in curves]))
    candidates = [get_law(name) for name in laws]
    fits = all_fits(Points.of(curves), candidates, level)
    n_resamples = as_count(resamples, "number of resamples", at_least=0) if len(curves) > 1 else 0
    rng = np.random.default_rng(as_count(seed, "seed", at_least=0))
    choices = Counter[str]()
    for _ in range(n_resamples):
        drawn = [curves[i] for i in rng.integers(len(curves), size=len(curves))]
        choices[chosen(all_fits(Points.of(drawn), candidates, level, QUICK)).name] += 1
    return Comparison({fit.label: fit for fit in fits}, len(curves), dict(choices))


def all_fits(points: Points, laws: Sequence[Law], bounds: Range, precision: float = PRECISE) -> list[Fit]:
    """Fit each law with and without an asymptote; the lowest AICc comes first."""
    fits = [
        fit_law(points, law, asymptote=asymptote, bounds=bounds, precision=precision)
        for law in laws
        for asymptote in ((False, True) if law.can_level_off else (False,))
    ]
    return sorted(fits, key=lambda fit: fit.aicc)


def chosen(fits: Sequence[Fit]) -> Fit:
    """Return the fit of the lowest AICc, or the simplest of its special cases that are as good."""
    best = min(fits, key=lambda fit: fit.aicc)
    as_good = [fit for fit in fits if _is_special_case(fit, best) and fit.aicc <= best.aicc + NEGLIGIBLE]
    return min(as_good, key=lambda fit: (len(fit.parameters), fit.aicc))


def _is_special_case(special: Fit, general: Fit) -> bool:
    """Return whether one candidate is what another becomes for some parameters, or in the limit."""
    levels_off = "asymptote" in general.parameters
    if special.name == "line" and levels_off:  # if slow enough, every law is straight
        return True
    same_law = special.name == general.name or special.name in general.law.contains
    return same_law and (levels_off or "asymptote" not in special.parameters)
