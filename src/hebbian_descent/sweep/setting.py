"""What a sweep is told: the patterns, what all runs share, and the cells that the grid is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, as_patterns, unknown_name
from hebbian_descent.network import Activation, get_activation
from hebbian_descent.rules import ErrorTerm, Rule, get_error_term, get_rule
from hebbian_descent.rules.base import ErrorFunction
from hebbian_descent.sweep.measures import get_measure

Centering = Literal["mean", "moving"] | None
CENTERINGS = ("mean", "moving", None)


@dataclass(frozen=True, eq=False)
class Patterns:
    """The pairs to learn, in order, and the pairs to evaluate, which may be the same."""

    inputs: Array
    targets: Array
    evaluated_inputs: Array
    evaluated_targets: Array

    @classmethod
    def of(
        cls,
        inputs: npt.ArrayLike,
        targets: npt.ArrayLike,
        evaluate_on: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    ) -> Patterns:
        """Check the patterns and bring them to float64."""
        x, t = _pairs(inputs, targets, "inputs", "targets")
        if evaluate_on is None:
            return cls(x, t, x, t)
        if not isinstance(evaluate_on, tuple) or len(evaluate_on) != 2:
            raise TypeError("evaluate_on must be a pair, (inputs, targets). Got something else.")
        x_test, t_test = _pairs(*evaluate_on, "evaluated inputs", "evaluated targets")
        as_patterns(x_test, "evaluated inputs", n_columns=x.shape[1])
        as_patterns(t_test, "evaluated targets", n_columns=t.shape[1])
        return cls(x, t, x_test, t_test)

    @cached_property
    def baseline(self) -> float:
        """The mean absolute error of always answering with the mean of the evaluated targets."""
        t = self.evaluated_targets
        return float(np.abs(t - t.mean(axis=0)).mean())


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: a rule, an activation and a weight decay, for all learning rates and trials."""

    rule: Rule
    activation: Activation
    weight_decay: float

    def __str__(self) -> str:
        decay = f", decay {self.weight_decay:g}" if self.weight_decay else ""
        return f"{self.rule.name}, {self.activation}{decay}"


@dataclass(frozen=True)
class Setting:
    """What all cells of a sweep share."""

    rules: tuple[Rule, ...]
    activations: tuple[Activation, ...]
    learning_rates: tuple[float, ...]
    weight_decays: tuple[float, ...]
    trials: tuple[int, ...]
    error: ErrorTerm
    centering: Centering
    shift: float
    offset_start: float
    epochs: int
    batch_size: int
    shuffle: bool
    measures: tuple[str, ...]
    seed: int
    dtype: np.dtype[Any]

    @classmethod
    def of(
        cls,
        *,
        rules: str | Rule | Sequence[str | Rule],
        activations: str | Activation | Sequence[str | Activation],
        learning_rates: float | Sequence[float],
        weight_decays: float | Sequence[float] = (0.0,),
        trials: int | Sequence[int] = 10,
        error: str | ErrorTerm | ErrorFunction = "difference",
        centering: Centering = "mean",
        shift: float = 0.05,
        offset_start: float = 0.5,
        epochs: int = 1,
        batch_size: int = 1,
        shuffle: bool | None = None,
        measures: str | Sequence[str] = ("mae",),
        seed: int = 0,
        dtype: npt.DTypeLike = np.float64,
    ) -> Setting:
        """Check every value and give it its final form."""
        if centering not in CENTERINGS:
            raise unknown_name("centering", centering, [*get_args(get_args(Centering)[0]), "None"])
        batch_size = as_count(batch_size, "batch size")
        setting = cls(
            rules=tuple(get_rule(rule) for rule in _listed(rules, "rules")),
            activations=tuple(get_activation(a) for a in _listed(activations, "activations")),
            learning_rates=tuple(
                as_number(rate, "learning rate", above=0)
                for rate in _listed(learning_rates, "learning rates")
            ),
            weight_decays=tuple(
                as_number(decay, "weight decay", at_least=0, at_most=2)
                for decay in _listed(weight_decays, "weight decays")
            ),
            trials=tuple(range(as_count(trials, "number of trials")))
            if isinstance(trials, (int, np.integer))
            else tuple(as_count(trial, "trial", at_least=0) for trial in _listed(trials, "trials")),
            error=get_error_term(error),
            centering=centering,
            shift=as_number(shift, "shift", above=0, at_most=1) if centering == "moving" else 0.0,
            offset_start=as_number(offset_start, "start of the offset") if centering == "moving" else 0.0,
            epochs=as_count(epochs, "number of epochs"),
            batch_size=batch_size,
            shuffle=batch_size > 1 if shuffle is None else bool(shuffle),
            measures=tuple(get_measure(name).name for name in _listed(measures, "measures")),
            seed=as_count(seed, "seed", at_least=0),
            dtype=np.dtype(dtype),
        )
        if setting.dtype not in (np.float32, np.float64):
            raise ValueError(f"The dtype must be float32 or float64. Got {setting.dtype}.")
        for name in ("learning_rates", "weight_decays", "trials"):
            values = getattr(setting, name)
            if len(set(values)) < len(values):
                raise ValueError(f"The {name.replace('_', ' ')} must differ from each other. Got {values}.")
        return setting

    def cells(self) -> Iterator[Cell]:
        """Yield the cells of the grid, rule by rule."""
        for rule in self.rules:
            for activation in self.activations:
                for decay in self.weight_decays:
                    yield Cell(rule, activation, decay)

    def offset(self, patterns: Patterns) -> Array:
        """Return the offset μ that every run starts with."""
        n_inputs = patterns.inputs.shape[1]
        if self.centering == "mean":
            mean: Array = patterns.inputs.mean(axis=0)
            return mean
        return np.full(n_inputs, self.offset_start)


def _pairs(
    inputs: npt.ArrayLike, targets: npt.ArrayLike, name_of_inputs: str, name_of_targets: str
) -> tuple[Array, Array]:
    x = as_patterns(inputs, name_of_inputs, dtype=np.float64)
    t = as_patterns(targets, name_of_targets, dtype=np.float64)
    if len(x) != len(t):
        raise ValueError(
            f"The {name_of_inputs} and {name_of_targets} must be pairs, as many of each. "
            f"Got {len(x)} and {len(t)}."
        )
    return x, t


def _listed(values: Any, name: str) -> Sequence[Any]:
    """Return one value as a list of one, and refuse an empty list."""
    single = isinstance(values, (str, Rule, Activation)) or np.isscalar(values)
    listed = [values] if single else list(values)
    if not listed:
        raise ValueError(f"There must be at least one value for the {name}. Got none.")
    return listed
