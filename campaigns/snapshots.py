"""Snapshots of the state of a learner: estimators, memories and networks alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent import Autoencoder, Layer

CACHES = ("_remembered", "_places")


def snapshot(learner: Any) -> dict[str, Any]:
    """Return copies of all attributes, those of a network inside by their own names."""
    found: dict[str, Any] = {}
    for name, value in vars(learner).items():
        if isinstance(value, Layer | Autoencoder):
            found |= snapshot(value)
        elif name not in CACHES:
            found[name] = np.copy(value) if isinstance(value, np.ndarray) else value
    return found


def is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two snapshots agree, number by number."""
    return one.keys() == other.keys() and all(
        np.array_equal(value, other[name])
        if isinstance(value, np.ndarray)
        else value is other[name] or value == other[name]
        for name, value in one.items()
    )


def is_finite(found: dict[str, Any]) -> bool:
    """Return whether a snapshot holds only finite numbers."""
    return all(np.isfinite(value).all() for value in found.values() if _is_float(value))


def _is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"
