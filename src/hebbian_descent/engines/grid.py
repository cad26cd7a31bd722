"""Grids: values to combine, how they are checked and named, and what all combinations share.

A cell is one rule, activation and weight decay; its runs are all learning rates and trials.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number
from hebbian_descent.engines.conditions import Conditions
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.learning.rates import Automatic, as_rate, as_saved
from hebbian_descent.learning.run import batches, epoch_order
from hebbian_descent.measures import Measure, get_measures
from hebbian_descent.network import Activation, Autoencoder, Layer, glorot_uniform
from hebbian_descent.registry import FINDERS
from hebbian_descent.rules import ErrorTerm, get_error_term

Rate: TypeAlias = float | Automatic
RateLike: TypeAlias = float | str | Automatic
"""As users write it: "auto" is the automatic rate."""

DEFAULTS: dict[str, Any] = {
    "weight_decays": (0.0,),
    "trials": 10,
    "error": "difference",
    "epochs": 1,
    "batch_size": 1,
    "shuffle": None,
    "measures": ("mae",),
    "seed": 0,
    "dtype": np.float64,
    "constraints": None,
    "connectivity": None,
    "noise": None,
    "strength": None,
}
"""Default values of the settings that all grids share."""


def checked(
    *,
    learning_rates: Any,
    weight_decays: Any,
    trials: Any,
    error: Any,
    epochs: Any,
    batch_size: Any,
    shuffle: bool | None,
    measures: Any,
    seed: Any,
    dtype: Any,
    **conditions: Any,
) -> dict[str, Any]:
    """Check the values that all grids share and give them their final form."""
    batch_size = as_count(batch_size, "batch size")
    return {
        "learning_rates": tuple(rate_of(rate) for rate in listed(learning_rates, "learning rates")),
        "weight_decays": tuple(
            as_number(decay, "weight decay", at_least=0, at_most=2)
            for decay in listed(weight_decays, "weight decays")
        ),
        "trials": tuple(range(as_count(trials, "number of trials")))
        if np.isscalar(trials)
        else tuple(as_count(trial, "trial", at_least=0) for trial in listed(trials, "trials")),
        "error": get_error_term(error),
        "epochs": as_count(epochs, "number of epochs"),
        "batch_size": batch_size,
        "shuffle": batch_size > 1 if shuffle is None else bool(shuffle),
        "measures": tuple(get_measures(listed(measures, "measures")).values()),
        "seed": as_count(seed, "seed", at_least=0),
        "dtype": np.dtype(dtype),
        "conditions": Conditions.of(**conditions),
    }


def rate_of(value: Any) -> Rate:
    """Return a learning rate: a number above 0, or an automatic one."""
    is_automatic = isinstance(value, str | Automatic)
    return as_rate(value) if is_automatic else as_number(value, "learning rate", above=0)


def labels_of_rates(rates: Sequence[Rate]) -> npt.NDArray[Any]:
    """Return the labels of the learning-rate axis: numbers, or words if one of them is automatic."""
    if not any(isinstance(rate, Automatic) for rate in rates):
        return np.array(rates)
    return np.array([str(rate) for rate in rates])


def rate_of_label(label: Any) -> float | str:
    """Return a learning rate from its label, which may be a word."""
    try:
        return float(label)
    except ValueError:
        return str(label)


def listed(values: Any, name: str) -> Sequence[Any]:
    """Return one value as a list of one, and refuse an empty list."""
    single = isinstance(values, str) or callable(values) or hasattr(values, "name") or np.isscalar(values)
    found = [values] if single else list(values)
    if not found:
        raise ValueError(f"There must be at least one value for the {name}. Got none.")
    return found


def described(member: Any) -> Any:
    """Return a built-in member as its name and parameters; a custom one is hashed as it is."""
    if getattr(member, "is_built_in", False):
        return {"name": member.name, "parameters": dict(member.parameters)}
    return member


def name_of(rule: Any) -> str:
    """Return the label of a rule: its name, with its parameters if they are not the defaults."""
    if not (rule.is_built_in and rule.parameters) or FINDERS[type(rule).__name__](rule.name) is rule:
        return str(rule.name)
    return f"{rule.name}({', '.join(f'{key}={_short(value)}' for key, value in rule.parameters.items())})"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


R = TypeVar("R")
A = TypeVar("A")


@dataclass(frozen=True)
class GridCell(Generic[R, A]):
    """One cell of the grid: a rule, an activation and a weight decay, for all learning rates and trials."""

    rule: R
    activation: A
    weight_decay: float

    def __str__(self) -> str:
        decay = f", decay {self.weight_decay:g}" if self.weight_decay else ""
        return f"{name_of(self.rule)}, {self.activation}{decay}"


@dataclass(frozen=True)
class Grid(ABC, Generic[R, A]):
    """Values to combine, and what all combinations share."""

    kind: ClassVar[str]
    """The kind of network, as it enters the keys of stored cells."""

    rules: tuple[R, ...]
    activations: tuple[A, ...]
    learning_rates: tuple[Any, ...]
    """Numbers; only the plain loop takes `Automatic` ones."""
    weight_decays: tuple[float, ...]
    trials: tuple[int, ...]
    error: ErrorTerm
    epochs: int
    batch_size: int
    shuffle: bool
    measures: tuple[Measure, ...]
    seed: int
    dtype: np.dtype[Any]
    conditions: Conditions

    def __post_init__(self) -> None:
        if self.dtype not in (np.float32, np.float64):
            raise ValueError(f"The dtype must be float32 or float64. Got {self.dtype}.")
        for name in ("learning_rates", "weight_decays", "trials"):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"The {name.replace('_', ' ')} must differ from each other. Got {values}.")
        for kind, names in self._names.items():
            if len(set(names)) < len(names):
                raise ValueError(
                    f"The {kind} of a sweep must have different names. Got {', '.join(names)}: "
                    "dataclasses.replace(…, name=…) gives one another name."
                )

    @property
    def _names(self) -> dict[str, list[str]]:
        return {"rules": [*map(name_of, self.rules)], "activations": [*map(str, self.activations)]}

    @property
    @abstractmethod
    def n_units(self) -> int | None:
        """The number of units that inputs lead to; None is that of the targets."""

    def check(self, patterns: Patterns) -> None:
        """Refuse conditions that do not fit the patterns."""
        n_patterns, n_inputs = patterns.inputs.shape
        shape = n_inputs, self.n_units or patterns.targets.shape[1]
        self.conditions.check(n_patterns, shape, self.dtype)

    @abstractmethod
    def start(self, cell: Any, patterns: Patterns, trial: int) -> Layer | Autoencoder:
        """Return the network that all runs of a trial start from."""

    @property
    @abstractmethod
    def output_activations(self) -> tuple[Activation, ...]:
        """The activations of output units."""

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the values kept for each run and evaluated pattern."""
        return tuple(measure.name for measure in self.measures)

    @property
    def moves(self) -> dict[str, Any]:
        """How offsets follow, as `Training` takes it."""
        return {}

    @property
    def has_automatic_rate(self) -> bool:
        """Whether one of the learning rates follows from the patterns."""
        return any(isinstance(rate, Automatic) for rate in self.learning_rates)

    def cells(self) -> Iterator[GridCell[R, A]]:
        """Yield the cells of the grid, rule by rule."""
        for rule in self.rules:
            for activation in self.activations:
                for decay in self.weight_decays:
                    yield GridCell(rule, activation, decay)

    def orders(self, n_patterns: int) -> Iterator[npt.NDArray[np.intp]]:
        """Yield the order of the patterns in each epoch, as `Training` shows them."""
        for epoch in range(self.epochs):
            yield epoch_order(n_patterns, self.seed, epoch) if self.shuffle else np.arange(n_patterns)

    def batches(self, n_patterns: int) -> Iterator[npt.NDArray[np.intp]]:
        """Yield the rows of each batch, epoch after epoch."""
        for order in self.orders(n_patterns):
            yield from batches(order, self.batch_size)

    def specification(self, cell: Any) -> Mapping[str, Any]:
        """Return everything about a cell that its numbers depend on, except the patterns and the engine."""
        return {
            "kind": self.kind,
            "rule": described(cell.rule),
            "activation": described(cell.activation),
            "error": described(self.error),
            "weight_decay": cell.weight_decay,
            "learning_rates": tuple(map(as_saved, self.learning_rates)),
            "trials": self.trials,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
            "measures": tuple(measure.name if measure.is_built_in else measure for measure in self.measures),
            "seed": self.seed,
            "dtype": self.dtype.name,
            **self.conditions.specification,
        }


def initial_weights(
    seed: int, trial: int, n_inputs: int, n_outputs: int, *, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Return the weights that a trial of a sweep starts from, the same for all rules and learning rates.

    >>> initial_weights(0, 7, n_inputs=200, n_outputs=100).shape
    (200, 100)
    """
    seed, trial = as_count(seed, "seed", at_least=0), as_count(trial, "trial", at_least=0)
    return glorot_uniform(n_inputs, n_outputs, rng=np.random.default_rng((seed, trial)), dtype=dtype)
