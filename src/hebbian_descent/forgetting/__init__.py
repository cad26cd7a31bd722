"""Forgetting by age: what a memory has kept of each pattern, the laws fitted to it, and which fits best.

>>> import numpy as np
>>> age = np.arange(1, 101)
>>> curve = ForgettingCurve(age, 0.9 * age**-0.3, "correlation")
>>> curve.best_fit.name, curve.comparison.law
('power_law', 'power_law')
"""

from hebbian_descent.forgetting.comparison import UNDECIDED, Comparison, compare_laws
from hebbian_descent.forgetting.curve import ForgettingCurve
from hebbian_descent.forgetting.fit import Fit, fit_forgetting
from hebbian_descent.forgetting.intervals import Intervals, parameter_intervals
from hebbian_descent.forgetting.laws import LAWS, Law

__all__ = [
    "LAWS",
    "UNDECIDED",
    "Comparison",
    "Fit",
    "ForgettingCurve",
    "Intervals",
    "Law",
    "compare_laws",
    "fit_forgetting",
    "parameter_intervals",
]
