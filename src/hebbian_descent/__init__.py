"""Hebbian-descent: centered single-layer networks that learn each example once and forget gracefully."""

from hebbian_descent.memory import AssociativeMemory
from hebbian_descent.network import ACTIVATIONS, Activation, Autoencoder, Layer, get_activation
from hebbian_descent.rules import (
    AUTO_RULES,
    ERROR_TERMS,
    LOSSES,
    RULES,
    AutoRule,
    Factors,
    Rule,
    get_error_term,
    matching_loss,
)
from hebbian_descent.training import DivergenceError, Training, train

__version__ = "0.1.0"

__all__ = [
    "ACTIVATIONS",
    "AUTO_RULES",
    "ERROR_TERMS",
    "LOSSES",
    "RULES",
    "Activation",
    "AssociativeMemory",
    "AutoRule",
    "Autoencoder",
    "DivergenceError",
    "Factors",
    "Layer",
    "Rule",
    "Training",
    "get_activation",
    "get_error_term",
    "matching_loss",
    "train",
]
