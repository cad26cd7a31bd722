"""What a sweep over layers is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, as_number, unknown_name
from hebbian_descent.engines.grid import Grid, GridCell, checked, listed
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import Rule, get_rule

Centering: TypeAlias = Literal["mean", "moving"] | None

Cell: TypeAlias = GridCell[Rule, Activation]


@dataclass(frozen=True)
class Setting(Grid[Rule, Activation]):
    """A grid of layers, and how their inputs are centered."""

    centering: Centering
    shift: float
    offset_start: float

    @classmethod
    def of(
        cls,
        *,
        rules: str | Rule | Sequence[str | Rule],
        activations: str | Activation | Sequence[str | Activation],
        learning_rates: float | Sequence[float],
        centering: Centering = "mean",
        shift: float = 0.05,
        offset_start: float = 0.5,
        **shared: Any,
    ) -> Setting:
        """Check every value and give it its final form; `shared` are those of `GRID_DEFAULTS`."""
        if centering not in ("mean", "moving", None):
            raise unknown_name("centering", centering, ("mean", "moving", "None"))
        moves = centering == "moving"
        return cls(
            rules=tuple(get_rule(rule) for rule in listed(rules, "rules")),
            activations=tuple(get_activation(a) for a in listed(activations, "activations")),
            centering=centering,
            shift=as_number(shift, "shift", above=0, at_most=1) if moves else 0.0,
            offset_start=as_number(offset_start, "start of the offset") if moves else 0.0,
            **checked(**{**GRID_DEFAULTS, "learning_rates": learning_rates, **shared}),
        )

    def offset(self, patterns: Patterns) -> Array:
        """Return the offset μ that every run starts with."""
        if self.centering == "mean":
            mean: Array = patterns.inputs.mean(axis=0, dtype=np.float64)
            return mean
        return np.full(patterns.inputs.shape[1], self.offset_start)

    def specification(self, cell: Cell) -> Mapping[str, Any]:
        """Return everything about a cell that its numbers depend on, but for the patterns and the engine."""
        return {
            "kind": "layer",
            **super().specification(cell),
            "centering": self.centering or "none",
            "shift": self.shift,
            "offset_start": self.offset_start,
        }


GRID_DEFAULTS: dict[str, Any] = {
    "weight_decays": (0.0,),
    "trials": 10,
    "error": "difference",
    "epochs": 1,
    "batch_size": 1,
    "shuffle": None,
    "measures": ("mae",),
    "seed": 0,
    "dtype": np.float64,
}
"""What a grid has if nothing else is said."""
