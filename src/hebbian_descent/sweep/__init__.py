"""Many runs at once: every rule, activation, learning rate and decay over the same patterns."""

from hebbian_descent.engines.auto_setting import AutoSetting
from hebbian_descent.engines.choice import ENGINES
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.seeding import initial_weights
from hebbian_descent.engines.setting import Setting
from hebbian_descent.measures import MEASURES
from hebbian_descent.sweep.auto_run import sweep_autoencoders
from hebbian_descent.sweep.halving import Found, halving
from hebbian_descent.sweep.prepared import Sweep, TargetRangeWarning
from hebbian_descent.sweep.result import SweepResult
from hebbian_descent.sweep.run import sweep
from hebbian_descent.sweep.selection import Best

__all__ = [
    "ENGINES",
    "MEASURES",
    "AutoSetting",
    "Best",
    "Found",
    "Patterns",
    "Setting",
    "Sweep",
    "SweepResult",
    "TargetRangeWarning",
    "halving",
    "initial_weights",
    "sweep",
    "sweep_autoencoders",
]
