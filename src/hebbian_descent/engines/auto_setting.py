"""What a sweep over auto-encoders is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, as_count, as_number, unknown_name
from hebbian_descent.engines.grid import Grid, GridCell, checked, described, listed
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.setting import GRID_DEFAULTS
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import AutoRule, get_auto_rule


class Units(NamedTuple):
    """The activations of the hidden and of the output units."""

    hidden: Activation
    output: Activation

    def __str__(self) -> str:
        return f"{self.hidden}/{self.output}"


AutoCell: TypeAlias = GridCell[AutoRule, Units]


@dataclass(frozen=True)
class AutoSetting(Grid[AutoRule, Units]):
    """A grid of auto-encoders with tied weights."""

    n_hidden: int
    centering: Literal["mean"] | None
    hidden_shift: float

    @classmethod
    def of(
        cls,
        *,
        rules: str | AutoRule | Sequence[str | AutoRule],
        hidden_activations: str | Activation | Sequence[str | Activation],
        output_activations: str | Activation | Sequence[str | Activation],
        n_hidden: int,
        learning_rates: float | Sequence[float],
        centering: Literal["mean"] | None = "mean",
        hidden_shift: float = 0.01,
        **shared: Any,
    ) -> AutoSetting:
        """Check every value and give it its final form; `shared` are those of `GRID_DEFAULTS`."""
        if centering not in ("mean", None):
            raise unknown_name("centering of auto-encoders", centering, ("mean", "None"))
        hidden = [get_activation(a) for a in listed(hidden_activations, "hidden activations")]
        output = [get_activation(a) for a in listed(output_activations, "output activations")]
        return cls(
            rules=tuple(get_auto_rule(rule) for rule in listed(rules, "rules")),
            activations=tuple(Units(h, z) for h in hidden for z in output),
            n_hidden=as_count(n_hidden, "number of hidden units"),
            centering=centering,
            hidden_shift=as_number(hidden_shift, "hidden shift", at_least=0, at_most=1),
            **checked(**{**GRID_DEFAULTS, "batch_size": 100, "learning_rates": learning_rates, **shared}),
        )

    @property
    def value_names(self) -> tuple[str, ...]:
        """The measures of the reconstruction, and the mean activity of the hidden units."""
        return (*self.measures, "hidden_activity")

    def offset(self, patterns: Patterns) -> Array:
        """Return the input offset μ, which does not move."""
        mean: Array = patterns.inputs.mean(axis=0, dtype=np.float64)
        return mean if self.centering == "mean" else np.zeros_like(mean)

    @property
    def hidden_offset(self) -> float:
        """Where the hidden offset λ starts; without centering it stays at 0."""
        return 0.5 if self.centering == "mean" else 0.0

    def specification(self, cell: AutoCell) -> Mapping[str, Any]:
        """Return everything about a cell that its numbers depend on, but for the patterns and the engine."""
        return {
            "kind": "autoencoder",
            **super().specification(cell),
            "activation": str(cell.activation),
            "hidden_activation": described(cell.activation.hidden),
            "output_activation": described(cell.activation.output),
            "n_hidden": self.n_hidden,
            "centering": self.centering or "none",
            "hidden_shift": self.hidden_shift,
        }
