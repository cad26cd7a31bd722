"""Exponential linear units (ELU)."""

from hebbian_descent.network.activations.base import Activation
from hebbian_descent.network.activations.scaled_explin import exponential_linear
from hebbian_descent.registry import made_once


@made_once
def explin() -> Activation:
    """Return φ(a) = a for a ≥ 0 and eᵃ − 1 below."""
    return exponential_linear("explin", slope=1.0, floor=1.0)
