"""The three outputs that are compared: what a value network returns, and which error its synapses get."""

from __future__ import annotations

from typing import Any, NamedTuple

from hebbian_descent.plotting import ACTIVATION_COLORS, RULE_STYLES


class Variant(NamedTuple):
    """Output units and the loss they learn by."""

    title: str
    is_rectified: bool
    is_matching: bool
    """Whether the error h − t reaches the synapses without φ′; for linear outputs this is no difference."""
    style: dict[str, Any]


VARIANTS = {
    "linear": Variant(
        "linear, squared error", False, False, {"color": ACTIVATION_COLORS["linear"], "linestyle": "-"}
    ),
    "squared": Variant(
        "rectifier, squared error",
        True,
        False,
        {"color": RULE_STYLES["gradient_descent"]["color"], "linestyle": "-"},
    ),
    "matching": Variant(
        "rectifier, matching loss",
        True,
        True,
        {"color": RULE_STYLES["hebbian_descent"]["color"], "linestyle": "-"},
    ),
}
RECTIFIED = tuple(name for name, variant in VARIANTS.items() if variant.is_rectified)
