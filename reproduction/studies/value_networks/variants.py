"""The three outputs that are compared: what a value network returns, and which error its synapses get."""

from __future__ import annotations

from typing import NamedTuple

from hebbian_descent.plotting import ACTIVATION_COLORS, RULE_STYLES


class Variant(NamedTuple):
    """Output units and the loss they learn by."""

    title: str
    color: str
    is_rectified: bool
    is_matching: bool = False
    """Whether the error h − t reaches the synapses without φ′; for linear outputs, φ′ = 1, both are one."""


VARIANTS = {
    "linear": Variant("linear, squared error", ACTIVATION_COLORS["linear"], False),
    "squared": Variant("rectifier, squared error", RULE_STYLES["gradient_descent"]["color"], True),
    "matching": Variant("rectifier, matching loss", RULE_STYLES["hebbian_descent"]["color"], True, True),
}
RECTIFIED = tuple(name for name, variant in VARIANTS.items() if variant.is_rectified)
