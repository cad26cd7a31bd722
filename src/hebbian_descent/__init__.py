"""Hebbian-descent: centered single-layer networks that learn each example once and forget gracefully."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hebbian_descent.learning.constraints import CONSTRAINTS, Constraint, get_constraint
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.noise import Noise
from hebbian_descent.learning.recorders import Recorder
from hebbian_descent.learning.run import Training, train
from hebbian_descent.learning.states import state_of
from hebbian_descent.measures import MEASURES, Measure
from hebbian_descent.memory import AssociativeMemory
from hebbian_descent.network import ACTIVATIONS, Activation, Autoencoder, Layer, get_activation
from hebbian_descent.network.reach import TargetRangeWarning
from hebbian_descent.rules import (
    AUTO_RULES,
    ERROR_TERMS,
    LOCAL_RULES,
    LOSSES,
    RULES,
    Activity,
    AutoRule,
    Change,
    Factors,
    Rule,
    get_error_term,
    get_rule,
    matching_loss,
)
from hebbian_descent.storage.models import KINDS, load

if TYPE_CHECKING:
    from hebbian_descent.estimators import (
        HebbianDescentAutoencoder,
        HebbianDescentClassifier,
        HebbianDescentRegressor,
    )
    from hebbian_descent.explorer import explore
    from hebbian_descent.versions import show_versions

__version__ = "0.2.0"

__all__ = [
    "ACTIVATIONS",
    "AUTO_RULES",
    "CONSTRAINTS",
    "ERROR_TERMS",
    "LOCAL_RULES",
    "LOSSES",
    "MEASURES",
    "RULES",
    "Activation",
    "Activity",
    "AssociativeMemory",
    "AutoRule",
    "Autoencoder",
    "Change",
    "Constraint",
    "DivergenceError",
    "Factors",
    "HebbianDescentAutoencoder",
    "HebbianDescentClassifier",
    "HebbianDescentRegressor",
    "Layer",
    "Measure",
    "Noise",
    "Recorder",
    "Rule",
    "TargetRangeWarning",
    "Training",
    "explore",
    "get_activation",
    "get_constraint",
    "get_error_term",
    "get_rule",
    "load",
    "matching_loss",
    "show_versions",
    "state_of",
    "train",
]

_ESTIMATORS = ("HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor")


def __getattr__(name: str) -> Any:
    """Import on first use what is slow to load or rarely needed: the estimators load scikit-learn."""
    if name in _ESTIMATORS:
        from hebbian_descent import estimators

        return getattr(estimators, name)
    if name == "explore":
        from hebbian_descent.explorer import explore

        return explore
    if name == "show_versions":
        from hebbian_descent.versions import show_versions

        return show_versions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATORS, "explore", "show_versions"})


KINDS.update({name: partial(__getattr__, name) for name in _ESTIMATORS})  # for `load`
