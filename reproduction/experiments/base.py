"""Base classes of experiments: a label, a protocol, jobs to run, and what a job measures."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.sweep import Best, SweepResult
from reproduction.run_context import Effort, RunContext, Search
from reproduction.saved_json import as_text

LABEL = re.compile(r"[a-z]+:[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


class Measured(NamedTuple):
    """The results of one job for one row of a table."""

    cell: Mapping[str, str]
    """The row: datasets, activation, rule and so on, as in `PrintedRow.cell`."""
    results: Mapping[str, float]
    std: Mapping[str, float]
    """Standard deviation of each result over the trials."""
    learning_rate: float
    weight_decay: float
    n_trials: int
    draw: int = 0
    trials: Mapping[str, tuple[float, ...]] = {}
    """Each result by trial; empty in files of earlier versions."""


def measured(cell: Mapping[str, str], per_trial: Mapping[str, Array], best: Best, draw: int = 0) -> Measured:
    """Return the results of a cell at its best learning rate, from one value per trial.

    Means are of doubles whatever the trials are, so that they can be computed again from the kept trials.
    """
    trials = {name: np.asarray(values, dtype=float) for name, values in per_trial.items()}
    return Measured(
        cell,
        results={name: float(values.mean()) for name, values in trials.items()},
        std={name: float(values.std()) for name, values in trials.items()},
        learning_rate=best.learning_rate,
        weight_decay=best.weight_decay,
        n_trials=len(next(iter(trials.values()))),
        draw=draw,
        trials={name: tuple(map(float, values)) for name, values in trials.items()},
    )


def with_kept_rates(
    rates: Mapping[str, float], sweep: Callable[..., SweepResult], *data: Any, **options: Any
) -> Iterator[tuple[SweepResult, Best]]:
    """Yield the result of each rule with the learning rate that an earlier search found for it.

    Trials depend on their seed alone, so these are the trials of that search, for a fraction of its time.
    """
    for rule, rate in rates.items():
        result = sweep(*data, **{**options, "rules": rule, "learning_rates": rate})
        (best,) = result.best("all")
        yield result, best


class Job(ABC):
    """A part of an experiment that is run and saved as a unit."""

    name: str
    """Unique within an experiment, and usable as a file name."""

    @abstractmethod
    def run(self, context: RunContext) -> list[Measured]:
        """Compute, or read from the store, and return one entry per row."""


@dataclass(frozen=True, eq=False)
class Experiment(ABC):
    """A table that can be computed: the paper's or a custom one."""

    label: str
    title: str
    searches: ClassVar[tuple[Search, ...]] = ("grid", "halving")
    """How its learning rates can be searched."""
    source: str = field(default="", kw_only=True, repr=False)
    """A fingerprint of the file that defines it; empty for the paper's tables."""

    def __post_init__(self) -> None:
        if not LABEL.fullmatch(self.label):
            raise ValueError(
                "The label of an experiment must be 'tab:' and a name of at most 100 letters, digits, "
                f"'_', '.' and '-'. Got {self.label!r:.200}."
            )
        as_text(self.title, f"The title of {self.label}")

    @property
    @abstractmethod
    def protocol(self) -> Mapping[str, Any]:
        """The settings, by the names that `--set` accepts."""

    @property
    @abstractmethod
    def quick(self) -> Mapping[str, Any]:
        """The settings that a quick look changes."""

    @property
    @abstractmethod
    def datasets(self) -> frozenset[str]:
        """The names of the datasets it needs."""

    def limited(self, effort: Effort) -> Effort:
        """Return the effort without a search that this experiment does not support."""
        return effort if effort.search in (None, *self.searches) else replace(effort, search=None)

    def check(self, effort: Effort) -> None:
        """Raise a ValueError for settings that this experiment does not have, before anything is run."""
        effort.applied_to(self.protocol, self.quick)

    @abstractmethod
    def jobs(self, effort: Effort) -> Iterable[Job]:
        """Return the jobs, the most informative first."""
