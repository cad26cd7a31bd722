"""The values that the paper searches over, and the few of them that a quick run tries."""

from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES, WEIGHT_DECAYS

__all__ = ["LEARNING_RATES", "QUICK_DECAYS", "QUICK_RATES", "WEIGHT_DECAYS"]

QUICK_DECAYS = (0.2, 0.02, 0.002, 0.0)
"""Four of the paper's weight decays."""
