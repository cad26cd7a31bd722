"""Grids: values to combine, and what all combinations share, whatever is trained.

A cell is one rule, activation and weight decay; its runs are all learning rates and trials.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from hebbian_descent.engines.grid_values import described, name_of
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.run import batches, epoch_order
from hebbian_descent.network import Activation, Autoencoder, Layer
from hebbian_descent.rules import ErrorTerm

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
    """What is trained, as keys of stored cells say it."""

    rules: tuple[R, ...]
    activations: tuple[A, ...]
    learning_rates: tuple[Any, ...]
    """Numbers; `Automatic` ones go to the plain loop alone."""
    weight_decays: tuple[float, ...]
    trials: tuple[int, ...]
    error: ErrorTerm
    epochs: int
    batch_size: int
    shuffle: bool
    measures: tuple[str, ...]
    seed: int
    dtype: np.dtype[Any]

    def __post_init__(self) -> None:
        if self.dtype not in (np.float32, np.float64):
            raise ValueError(f"The dtype must be float32 or float64. Got {self.dtype}.")
        for name in ("learning_rates", "weight_decays", "trials"):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"The {name.replace('_', ' ')} must differ from each other. Got {values}.")

    @abstractmethod
    def start(self, cell: Any, patterns: Patterns, trial: int) -> Layer | Autoencoder:
        """Return the network that all runs of a trial start from."""

    @property
    @abstractmethod
    def output_activations(self) -> tuple[Activation, ...]:
        """The activations of output units."""

    @property
    def value_names(self) -> tuple[str, ...]:
        """What is kept of each run and evaluated pattern."""
        return self.measures

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
        """Return everything about a cell that its numbers depend on, but for the patterns and the engine."""
        return {
            "kind": self.kind,
            "rule": described(cell.rule),
            "activation": described(cell.activation),
            "error": described(self.error),
            "weight_decay": cell.weight_decay,
            "learning_rates": tuple(
                str(rate) if isinstance(rate, Automatic) else rate for rate in self.learning_rates
            ),
            "trials": self.trials,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
            "measures": self.measures,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }
