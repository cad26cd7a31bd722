"""Grids of layers and of auto-encoders: how their networks start, and which values are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from hebbian_descent.checks import Array, as_count, as_number, unknown_name
from hebbian_descent.engines.grid import (
    DEFAULTS,
    Grid,
    GridCell,
    RateLike,
    checked,
    described,
    initial_weights,
    listed,
)
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.learning.centering import (
    HIDDEN_SHIFT,
    HIDDEN_START,
    SHIFT,
    Centering,
    Offset,
    as_centering,
    as_start,
    start_of,
)
from hebbian_descent.learning.noise import as_noise, refuse_noise_of_units
from hebbian_descent.network import Activation, Autoencoder, Layer, get_activation
from hebbian_descent.network.layer import unit_values
from hebbian_descent.rules import AutoRule, Rule, get_auto_rule, get_rule


class Units(NamedTuple):
    """The activations of the hidden and of the output units of an auto-encoder."""

    hidden: Activation
    output: Activation

    def __str__(self) -> str:
        return f"{self.hidden}/{self.output}"


LayerCell: TypeAlias = GridCell[Rule, Activation]
AutoencoderCell: TypeAlias = GridCell[AutoRule, Units]


@dataclass(frozen=True)
class LayerGrid(Grid[Rule, Activation]):
    """A grid of layers, and how their inputs are centered."""

    kind: ClassVar[str] = "layer"

    centering: str | float | tuple[float, ...] | None
    shift: float
    offset_start: float | None
    """Where a moving offset starts; None means a running mean."""

    @classmethod
    def of(
        cls,
        *,
        rules: str | Rule | Sequence[str | Rule],
        activations: str | Activation | Sequence[str | Activation],
        learning_rates: RateLike | Sequence[RateLike],
        centering: Centering = "mean",
        shift: float = SHIFT,
        offset_start: float | None = None,
        **shared: Any,
    ) -> LayerGrid:
        """Check every value and give it its final form; `shared` are those of `DEFAULTS`."""
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
            **checked(**{**DEFAULTS, "learning_rates": learning_rates, **shared}),
        )

    @property
    def n_units(self) -> None:
        """As many output units as targets have columns."""

    @property
    def output_activations(self) -> tuple[Activation, ...]:
        """All activations."""
        return self.activations

    @property
    def offset_moves(self) -> Offset:
        """How the offset follows the inputs."""
        return Offset(shift=self.shift, starts_as_mean=self.offset_start is None)

    @property
    def moves(self) -> dict[str, Any]:
        """How the input offset follows."""
        return {"shift": self.shift, "running_mean": self.offset_moves.starts_as_mean}

    def offset(self, patterns: Patterns) -> Array:
        """Return the offset μ that every run starts with."""
        if self.centering == "mean":
            mean: Array = patterns.inputs.mean(axis=0, dtype=np.float64)
            return mean
        n_inputs = patterns.inputs.shape[1]
        if self.centering is None or self.centering == "moving":
            return np.full(n_inputs, self.offset_start or 0.0)
        return unit_values(self.centering, "centering", n_inputs, np.float64)

    def start(self, cell: LayerCell, patterns: Patterns, trial: int) -> Layer:
        """Return the layer that all runs of a trial start from."""
        n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]
        return Layer.from_weights(
            initial_weights(self.seed, trial, n_inputs, n_outputs, dtype=self.dtype),
            activation=cell.activation,
            offset=self.offset(patterns),
        )

    def specification(self, cell: LayerCell) -> Mapping[str, Any]:
        """Return everything about a cell that its numbers depend on, but for the patterns and the engine."""
        return {
            **super().specification(cell),
            "centering": "none" if self.centering is None else self.centering,
            "shift": self.shift,
            "offset_start": self.offset_start,
        }


@dataclass(frozen=True)
class AutoencoderGrid(Grid[AutoRule, Units]):
    """A grid of auto-encoders with tied weights."""

    kind: ClassVar[str] = "autoencoder"

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
        learning_rates: RateLike | Sequence[RateLike],
        centering: Literal["mean"] | None = "mean",
        hidden_shift: float = HIDDEN_SHIFT,
        **shared: Any,
    ) -> AutoencoderGrid:
        """Check every value and give it its final form; `shared` are those of `DEFAULTS`."""
        for name in shared.keys() - DEFAULTS.keys():
            raise TypeError(unknown_name("other arguments of a sweep of auto-encoders", name, DEFAULTS))
        if centering not in ("mean", None):
            raise unknown_name("centering of auto-encoders", centering, ("mean", "None"))
        refuse_noise_of_units(as_noise(shared.get("noise")))
        hidden = [get_activation(a) for a in listed(hidden_activations, "hidden activations")]
        output = [get_activation(a) for a in listed(output_activations, "output activations")]
        return cls(
            rules=tuple(get_auto_rule(rule) for rule in listed(rules, "rules")),
            activations=tuple(Units(h, z) for h in hidden for z in output),
            n_hidden=as_count(n_hidden, "number of hidden units"),
            centering=centering,
            hidden_shift=as_number(hidden_shift, "hidden shift", at_least=0, at_most=1),
            **checked(**{**DEFAULTS, "batch_size": 100, "learning_rates": learning_rates, **shared}),
        )

    @property
    def n_units(self) -> int:
        """The hidden units."""
        return self.n_hidden

    @property
    def output_activations(self) -> tuple[Activation, ...]:
        """The activations of the units that reconstruct the input."""
        return tuple(units.output for units in self.activations)

    @property
    def value_names(self) -> tuple[str, ...]:
        """The measures of the reconstruction, and the mean activity of the hidden units."""
        return (*super().value_names, "hidden_activity")

    @property
    def moves(self) -> dict[str, Any]:
        """How the hidden offset follows; the input offset does not move."""
        return {"hidden_shift": self.hidden_shift if self.centering else 0.0}

    def offset(self, patterns: Patterns) -> Array:
        """Return the input offset μ."""
        mean: Array = patterns.inputs.mean(axis=0, dtype=np.float64)
        return mean if self.centering == "mean" else np.zeros_like(mean)

    @property
    def hidden_offset(self) -> float:
        """Where the hidden offset λ starts; without centering it stays at 0."""
        return HIDDEN_START if self.centering == "mean" else 0.0

    def start(self, cell: AutoencoderCell, patterns: Patterns, trial: int) -> Autoencoder:
        """Return the auto-encoder that all runs of a trial start from."""
        n_inputs = patterns.inputs.shape[1]
        return Autoencoder.from_weights(
            initial_weights(self.seed, trial, n_inputs, self.n_hidden, dtype=self.dtype),
            hidden_activation=cell.activation.hidden,
            output_activation=cell.activation.output,
            offset=self.offset(patterns),
            hidden_offset=self.hidden_offset,
        )

    def specification(self, cell: AutoencoderCell) -> Mapping[str, Any]:
        """Return everything about a cell that its numbers depend on, but for the patterns and the engine."""
        return {
            **super().specification(cell),
            "activation": str(cell.activation),
            "hidden_activation": described(cell.activation.hidden),
            "output_activation": described(cell.activation.output),
            "n_hidden": self.n_hidden,
            "centering": self.centering or "none",
            "hidden_shift": self.hidden_shift,
        }
