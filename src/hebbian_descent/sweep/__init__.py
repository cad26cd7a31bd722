"""Many runs at once: every rule, activation, learning rate and decay over the same patterns."""

from hebbian_descent.engines.choice import ENGINES
from hebbian_descent.engines.grid import initial_weights
from hebbian_descent.engines.network_grids import AutoencoderGrid, LayerGrid
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.measures import MEASURES
from hebbian_descent.sweep.grid_sweep import Sweep, TargetRangeWarning
from hebbian_descent.sweep.halving import Found, halving
from hebbian_descent.sweep.result import SweepResult
from hebbian_descent.sweep.run import sweep, sweep_autoencoders
from hebbian_descent.sweep.selection import Best

__all__ = [
    "ENGINES",
    "MEASURES",
    "AutoencoderGrid",
    "Best",
    "Found",
    "LayerGrid",
    "Patterns",
    "Sweep",
    "SweepResult",
    "TargetRangeWarning",
    "halving",
    "initial_weights",
    "sweep",
    "sweep_autoencoders",
]
