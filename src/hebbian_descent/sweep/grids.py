"""The learning rates and weight decays that the paper searches over.

Paper: sec:HD_network_structure_and_learning_setup
"""

__all__ = ["LEARNING_RATES", "QUICK_DECAYS", "QUICK_RATES", "WEIGHT_DECAYS"]

LEARNING_RATES: tuple[float, ...] = (
    *(100.0, 80.0, 60.0, 40.0, 20.0),
    *(10.0, 8.0, 6.0, 4.0, 2.0),
    *(1.0, 0.8, 0.6, 0.4, 0.2),
    *(0.1, 0.08, 0.06, 0.04, 0.02),
    *(0.01, 0.008, 0.006, 0.004, 0.002),
    *(0.001, 0.0008, 0.0006, 0.0004, 0.0002),
    *(0.0001, 0.00008, 0.00006, 0.00004, 0.00002),
)
"""The 35 learning rates of the paper, from 100 down to 0.00002."""

WEIGHT_DECAYS: tuple[float, ...] = (
    *(2.0, 1.0, 0.8, 0.6, 0.4, 0.2),
    *(0.1, 0.08, 0.06, 0.04, 0.02),
    *(0.01, 0.008, 0.006, 0.004, 0.002),
    *(0.001, 0.0005, 0.0001, 0.0),
)
"""The weight decays of the paper, from 2 down to 0."""

QUICK_RATES = LEARNING_RATES[1::3]
"""A third of the paper's learning rates, from 80 to 0.00002, for a quick look."""

QUICK_DECAYS = (0.2, 0.02, 0.002, 0.0)
"""Four of the paper's weight decays, for a quick look."""
