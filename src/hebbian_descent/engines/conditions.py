"""The conditions under which all runs of a grid learn, besides the rule: constraints, masks, noise, strength.

They run user code or change the weights between updates, so only the plain loop supports them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.learning.constraints import Constraint, as_connectivity, as_constraints
from hebbian_descent.learning.noise import Noise, as_noise
from hebbian_descent.learning.rates import Mask
from hebbian_descent.learning.strength import Strength, as_strength


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions of every update of every run; none by default."""

    constraints: tuple[Constraint, ...] = ()
    connectivity: Mask | None = None
    noise: Noise | None = None
    strength: Strength | None = None

    @classmethod
    def of(cls, *, constraints: Any, connectivity: Any, noise: Any, strength: Any) -> Conditions:
        """Check what can be checked without the patterns."""
        mask = None if connectivity is None else as_connectivity(connectivity, np.shape(connectivity))
        is_array = strength is not None and not callable(strength) and np.ndim(strength) > 0
        factor = as_strength(strength, len(strength), np.float64) if is_array else strength
        return cls(as_constraints(constraints), mask, as_noise(noise), factor)

    def check(self, n_patterns: int, shape: tuple[int, int], dtype: npt.DTypeLike) -> None:
        """Refuse a strength that does not fit the patterns, and a mask that does not fit the weights."""
        as_strength(self.strength, n_patterns, dtype)
        if self.connectivity is not None:
            as_connectivity(self.connectivity, shape)

    @property
    def training(self) -> dict[str, Any]:
        """Those that are settings of `Training`; the strength belongs to the patterns."""
        return {"constraints": self.constraints, "connectivity": self.connectivity, "noise": self.noise}

    @property
    def obstacle(self) -> str | None:
        """Why only the plain loop can run them, or None."""
        reasons = {
            "constraints": "weights are constrained after each update",
            "connectivity": "some synapses are missing",
            "noise": "each update has its own noise",
            "strength": "each pattern has its own strength",
        }
        return next((reasons[name] for name in self.specification), None)

    @property
    def specification(self) -> Mapping[str, Any]:
        """The conditions as they enter the key of a stored cell; what is absent is left out."""
        found: dict[str, Any] = {
            "constraints": [_described(constraint) for constraint in self.constraints] or None,
            "connectivity": self.connectivity,
            "noise": self.noise,
            "strength": self.strength,
        }
        return {name: value for name, value in found.items() if value is not None}


def _described(constraint: Constraint) -> Any:
    if constraint.is_built_in:
        return {"name": constraint.name, "parameters": dict(constraint.parameters)}
    return constraint
