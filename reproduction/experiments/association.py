"""Hetero-association: one pattern set learned from another, for several pairs of datasets.

Which 100 patterns the authors drew is unknown. So several draws are run, and a printed number is compared
with them as one more draw; the first draw has ten trials, as in the paper, the others two. Each draw starts
from different weights, too: without centering they matter as much as the patterns.

Paper: sec:HD_hetero_associative_learning
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hebbian_descent.checks import Array, as_count, as_patterns, unknown_name
from hebbian_descent.datasets import DATASETS, draw_pair
from hebbian_descent.network import ACTIVATIONS, Activation
from hebbian_descent.rules import RULES, Rule
from hebbian_descent.sweep import SweepResult
from hebbian_descent.sweep.selection import in_words, patterns_of
from reproduction.experiments.base import Experiment, Job, Measured, measured
from reproduction.grids import LEARNING_RATES, QUICK_RATES
from reproduction.run_context import Effort, RunContext, Search
from reproduction.saved_json import as_text

N_TRIALS_OF_OTHER_DRAWS = 2

PROTOCOL: Mapping[str, Any] = {
    "learning_rates": LEARNING_RATES,
    "weight_decays": (0.0,),
    "trials": 10,
    "epochs": 1,
    "patterns": 100,
    "centering": "mean",
    "shift": 0.05,
    "offset_start": 0.5,
    "input_order": "random",
    "seed": 0,
}
"""Settings that the paper's tables share; patterns is the number of pairs, input_order random or label."""

Generator = Callable[[int, int], Array]
"""A function of the number of patterns and a seed that returns patterns, one per row."""


@dataclass(frozen=True, eq=False)
class Association(Experiment):
    """Pairs of datasets, each learned by every rule with its activations.

    Rules and activations are names or custom objects. `generators` adds custom datasets. `variants` holds
    named settings, shown in the column `variant_column` of the table.
    """

    pairs: Mapping[tuple[str, str], Sequence[str | Activation]]
    """Each pair of input and target with the activations it is learned with."""
    rules: Sequence[str | Rule] = ("gradient_descent", "hebbian_descent", "hebb", "covariance")
    searches: ClassVar[tuple[Search, ...]] = ("grid",)
    by: str = "last20"
    """The patterns by which the learning rate is chosen."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What differs from `PROTOCOL`."""
    quick_settings: Mapping[str, Any] = field(default_factory=dict)
    generators: Mapping[str, Generator] = field(default_factory=dict)
    variant_column: str = ""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.pairs, Mapping) or not self.pairs:
            raise ValueError(
                f"The pairs of {self.label} must be as {{('rand', 'digits'): ['sigmoid']}}: each pair of "
                f"datasets with its activations. Got {self.pairs!r}."
            )
        for name in (*self.settings, *self.quick_settings):
            if name not in PROTOCOL:
                raise unknown_name(f"setting of {self.label}", name, PROTOCOL)
        for name in (*(name for pair in self.pairs for name in pair), *self.variants):
            as_text(name, f"A dataset or variant of {self.label}")
        for name in self.datasets:
            if name not in DATASETS:
                raise unknown_name(f"dataset of {self.label}", name, (*DATASETS, *self.generators))
        for rule in self.rules:
            if isinstance(rule, str) and rule not in RULES:
                raise unknown_name(f"rule of {self.label}", rule, RULES)
        for activation in (activation for found in self.pairs.values() for activation in found):
            if isinstance(activation, str) and activation not in ACTIVATIONS:
                raise unknown_name(f"activation of {self.label}", activation, ACTIVATIONS)
        patterns_of(self.by, sys.maxsize)  # refuses what is not a criterion

    @property
    def protocol(self) -> Mapping[str, Any]:
        """The paper's settings with those of this table."""
        return {**PROTOCOL, **self.settings}

    @property
    def quick(self) -> Mapping[str, Any]:
        """Two trials and a third of the learning rates."""
        return {"learning_rates": QUICK_RATES, "trials": 2, **self.quick_settings}

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets, except those made by the table's generators."""
        return frozenset(name for pair in self.pairs for name in pair) - set(self.generators)

    def check(self, effort: Effort) -> None:
        """Also refuse settings that distinguish the variants, and too few patterns to choose by."""
        for name in effort.overrides:
            if any(name in variant for variant in self.variants.values()):
                raise ValueError(f"{name} must not be set: the variants of {self.label} differ by it.")
        settings = effort.applied_to(self.protocol, self.quick)
        n_patterns = as_count(settings["patterns"], "number of patterns")
        try:
            patterns_of(self.by, n_patterns)
        except ValueError as error:
            raise ValueError(
                f"{self.label} must have more patterns: it chooses the learning rate by {in_words(self.by)}. "
                f"Got {n_patterns}."
            ) from error

    def jobs(self, effort: Effort) -> Iterator[AssociationJob]:
        """Yield one sweep per draw, pair and variant; all first draws come first."""
        for draw in range(effort.draws):
            for input_name, target_name in self.pairs:
                for variant in self.variants:
                    yield AssociationJob(self, effort, input_name, target_name, variant, draw)


@dataclass(frozen=True, eq=False)
class AssociationJob(Job):
    """One sweep: a pair of datasets, a variant and a draw of the patterns."""

    experiment: Association
    effort: Effort
    input_name: str
    target_name: str
    variant: str
    draw: int

    @property
    def name(self) -> str:  # type: ignore[override]  # read-only here
        """Such as rand-adult-fixed-draw0."""
        words = (self.input_name, self.target_name, self.variant, f"draw{self.draw}")
        return "-".join(word for word in words if word)

    def run(self, context: RunContext) -> list[Measured]:
        """Learn the pair with every rule, activation and learning rate, and return the best rates."""
        experiment, settings = self.experiment, self.settings
        n_patterns, trials, order = (settings.pop(name) for name in ("patterns", "trials", "input_order"))
        result = context.sweep(
            self._patterns(self.input_name, 0, n_patterns, settings["seed"], order),
            self._patterns(self.target_name, 1, n_patterns, settings["seed"]),
            rules=experiment.rules,
            activations=experiment.pairs[self.input_name, self.target_name],
            trials=trials,
            **settings,
        )
        return list(self._measured(result))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of protocol, effort, table, variant and draw together."""
        experiment, variant = self.experiment, self.experiment.variants[self.variant]
        settings = {**self.effort.applied_to(experiment.protocol, experiment.quick), **variant}
        if self.draw > 0 and "trials" not in self.effort.overrides:
            settings["trials"] = min(settings["trials"], N_TRIALS_OF_OTHER_DRAWS)
        settings["seed"] += self.draw
        return settings

    def _patterns(self, name: str, role: int, n: int, seed: int, order: str = "random") -> Array:
        """Draw the inputs (role 0) or the targets (role 1), which differ even for the same dataset."""
        if name not in self.experiment.generators:
            return draw_pair(name, name, n, seed=seed, input_order=order)[role]
        made = self.experiment.generators[name](n, 2 * seed + role)
        patterns = as_patterns(made, f"patterns of {name!r}", dtype=np.float64)
        if len(patterns) != n:
            raise ValueError(f"The patterns of {name!r} must be {n}, one per row. Got {len(patterns)}.")
        return patterns

    def _measured(self, result: SweepResult) -> Iterator[Measured]:
        by, column = self.experiment.by, self.experiment.variant_column
        for found in result.best(by):
            errors = result.trials_of(found)  # (n_trials, n_patterns)
            everything = errors.mean(axis=1)
            chosen = errors[:, patterns_of(by, errors.shape[1])].mean(axis=1)
            per_trial = (
                {"mae_mean": everything} if by == "all" else {f"mae_{by}": chosen, "mae_all": everything}
            )
            cell = {
                "input": self.input_name,
                "target": self.target_name,
                "activation": found.activation,
                "rule": found.rule,
                **({column: self.variant} if column else {}),
            }
            yield measured(cell, per_trial, found, self.draw)
