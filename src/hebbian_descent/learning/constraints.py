"""Constraints on the weights, whatever a rule demands.

A constraint is applied to the weights at the start of a run and after every update, after decay and noise.
Several are applied in the order given: the last one holds exactly, the earlier ones as far as the later ones
allow. Missing synapses are 0 before and after each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_number, unknown_name
from hebbian_descent.learning.rates import Mask
from hebbian_descent.registry import Member, finder_of, made_once, made_with

WeightsFunction = Callable[[Array], Array | None]
"""Weights → allowed weights; or None, if it changes them in place."""


@dataclass(frozen=True)
class Constraint(Member):
    """A function that maps the weights, (n_inputs, n_outputs), to allowed ones."""

    name: str
    function: WeightsFunction
    parameters: Mapping[str, Any] = field(default_factory=dict)
    compiled: str | None = None

    def apply(self, weights: Array) -> None:
        """Apply the constraint to weights, in place."""
        found = self.function(weights)
        if found is None or found is weights:
            return
        if np.shape(found) != weights.shape:
            raise ValueError(
                f"The constraint {self.name!r} must return weights of shape {weights.shape}, or change them "
                f"in place and return None. Got {np.shape(found)}."
            )
        weights[:] = found


Constraints: TypeAlias = "str | Constraint | WeightsFunction | Sequence[str | Constraint | WeightsFunction]"


@made_once
def bounds(low: float = -1.0, high: float = 1.0) -> Constraint:
    """Keep each weight between two values, low ≤ w ≤ high (Parisi, 1986)."""
    low, high = as_number(low, "lower bound"), as_number(high, "upper bound")
    if not low < high:
        raise ValueError(f"The lower bound must be below the upper one. Got {low:g} and {high:g}.")

    def function(weights: Array) -> None:
        np.clip(weights, low, high, out=weights)

    return Constraint("bounds", function, {"low": low, "high": high})


@made_once
def non_negative() -> Constraint:
    """Keep all synapses excitatory, w ≥ 0."""

    def function(weights: Array) -> None:
        np.maximum(weights, 0, out=weights)

    return Constraint("non_negative", function)


@made_once
def dale(signs: npt.ArrayLike) -> Constraint:
    """Let each input be excitatory, +1, or inhibitory, −1, in all its synapses: sᵢ·wᵢⱼ ≥ 0 (Dale's law)."""
    given = np.asarray(signs)
    if given.ndim != 1 or given.size == 0 or not np.isin(given, (-1, 1)).all():
        raise ValueError(f"Dale's law needs one sign for each input, 1 or -1. Got {signs!r}.")
    rows = given.astype(np.int8)[:, np.newaxis]

    def function(weights: Array) -> None:
        if len(weights) != len(rows):
            raise ValueError(
                f"Dale's law needs one sign for each of {len(weights)} inputs. Got {len(rows)} signs."
            )
        weights *= rows * weights > 0

    return Constraint("dale", function, {"signs": tuple(given.astype(int).tolist())})


@made_once
def unit_columns() -> Constraint:
    """Keep the weights of each output unit at length 1, ‖wⱼ‖ = 1; weights that are all 0 stay so."""

    def function(weights: Array) -> None:
        lengths = np.sqrt((weights * weights).sum(axis=0))
        weights /= np.where(lengths > 0, lengths, 1)

    return Constraint("unit_columns", function)


CONSTRAINTS: dict[str, Callable[..., Constraint]] = {
    "bounds": bounds,
    "non_negative": non_negative,
    "dale": dale,
    "unit_columns": unit_columns,
}


@finder_of(Constraint)
def get_constraint(constraint: str | Constraint | WeightsFunction, **parameters: Any) -> Constraint:
    """Return a constraint by name, with its parameters; a function of the weights becomes one."""
    if isinstance(constraint, Constraint):
        return constraint
    if isinstance(constraint, str):
        if constraint not in CONSTRAINTS:
            raise unknown_name("constraint", constraint, CONSTRAINTS)
        if constraint == "dale" and not parameters:
            raise ValueError(
                "Dale's law needs one sign for each input. Got none: pass get_constraint('dale', signs=…)."
            )
        return made_with("constraint", constraint, CONSTRAINTS[constraint], parameters)
    if not callable(constraint):
        raise TypeError(
            f"A constraint must be a name of {', '.join(CONSTRAINTS)}, a Constraint, or a function of the "
            f"weights. Got {constraint!r}."
        )
    return Constraint(getattr(constraint, "__name__", type(constraint).__name__), constraint)


def as_constraints(constraints: Constraints | None) -> tuple[Constraint, ...]:
    """Return one constraint, several or none in their final form."""
    if constraints is None:
        return ()
    if isinstance(constraints, str | Constraint) or callable(constraints):
        constraints = [constraints]
    if not isinstance(constraints, Sequence):
        constraints = [constraints]  # which is refused
    return tuple(get_constraint(constraint) for constraint in constraints)


def as_connectivity(mask: npt.ArrayLike, shape: tuple[int, ...]) -> Mask:
    """Return a new array with True for each existing synapse and False for the others."""
    given = np.array(mask)
    if given.shape != shape:
        raise ValueError(
            f"The connectivity must have one entry for each weight, shape {shape}. Got shape {given.shape}."
        )
    if given.dtype != bool and (wrong := given[~np.isin(given, (0, 1))]).size:
        raise ValueError(f"The connectivity must be True or False for each weight. Got {wrong[0]!r}.")
    return given.astype(bool)
