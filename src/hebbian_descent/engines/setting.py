"""What a sweep over layers is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, as_number, unknown_name
from hebbian_descent.engines.grid import Grid, GridCell, checked, listed
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.learning.centering import SHIFT, Centering, Offset, as_centering, as_start, start_of
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.network.layer import unit_values
from hebbian_descent.rules import Rule, get_rule

Cell: TypeAlias = GridCell[Rule, Activation]


@dataclass(frozen=True)
class Setting(Grid[Rule, Activation]):
    """A grid of layers, and how their inputs are centered."""

    centering: str | float | tuple[float, ...] | None
    shift: float
    offset_start: float | None
    """Where a moving offset starts; None is a running mean."""

    @classmethod
    def of(
        cls,
        *,
        rules: str | Rule | Sequence[str | Rule],
        activations: str | Activation | Sequence[str | Activation],
        learning_rates: float | str | Automatic | Sequence[float | str | Automatic],
        centering: Centering = "mean",
        shift: float = SHIFT,
        offset_start: float | None = None,
        **shared: Any,
    ) -> Setting:
        """Check every value and give it its final form; `shared` are those of `GRID_DEFAULTS`."""
        if isinstance(centering, str) and centering not in ("mean", "moving"):
            raise unknown_name("centering", centering, ("mean", "moving", "None"))
        found = as_centering(centering)
        moves = isinstance(found, str) and found == "moving"
        return cls(
            rules=tuple(get_rule(rule) for rule in listed(rules, "rules")),
            activations=tuple(get_activation(a) for a in listed(activations, "activations")),
            centering=found if found is None or isinstance(found, str) else start_of(found),
            shift=as_number(shift, "shift", above=0, at_most=1) if moves else 0.0,
            offset_start=as_start(offset_start, found) if moves else 0.0,
            **checked(**{**GRID_DEFAULTS, "learning_rates": learning_rates, **shared}),
        )

    def offset(self, patterns: Patterns) -> Array:
        """Return the offset μ that every run starts with."""
        n_inputs = patterns.inputs.shape[1]
        if self.centering == "mean":
            mean: Array = patterns.inputs.mean(axis=0, dtype=np.float64)
            return mean
        if self.centering is None or self.centering == "moving":
            return np.full(n_inputs, self.offset_start or 0.0)
        return unit_values(self.centering, "centering", n_inputs, np.float64)

    @property
    def offset_moves(self) -> Offset:
        """How the offset follows the inputs."""
        return Offset(shift=self.shift, starts_as_mean=self.offset_start is None)

    def specification(self, cell: Cell) -> Mapping[str, Any]:
        """Return everything about a cell that its numbers depend on, but for the patterns and the engine."""
        return {
            "kind": "layer",
            **super().specification(cell),
            "centering": "none" if self.centering is None else self.centering,
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
