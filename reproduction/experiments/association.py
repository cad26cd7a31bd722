"""Hetero-association: one pattern set learned from another, for several pairs of datasets.

Which 100 patterns the authors drew is unknown. So several draws are run, and a printed number is compared
with them as one more draw; the first draw has ten trials, as in the paper, the others two. Each draw starts
from different weights, too: without centering they matter as much as the patterns.

Paper: sec:HD_hetero_associative_learning
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hebbian_descent.checks import Array
from hebbian_descent.datasets import draw_pair
from hebbian_descent.sweep.grids import LEARNING_RATES, QUICK_RATES
from hebbian_descent.sweep.selection import patterns_of
from reproduction.context import Context, Effort
from reproduction.experiments.records import Record, records
from reproduction.rows import Rows
from reproduction.running import Job

TRIALS_OF_OTHER_DRAWS = 2

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


@dataclass(frozen=True, eq=False)
class Association:
    """Pairs of datasets, each learned by every rule with its activations.

    `variants` holds named settings, shown in the column `variant_column` of the table.
    """

    label: str
    title: str
    pairs: Mapping[tuple[str, str], Sequence[str]]
    """Each pair of input and target with the activations it is learned with."""
    rules: Sequence[str]
    by: str = "last20"
    """The patterns by which the learning rate is chosen."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What differs from `PROTOCOL`."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    variant_column: str = ""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets that are learned."""
        return frozenset(name for pair in self.pairs for name in pair)

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Yield one sweep per draw, pair and variant; all first draws come first."""
        for draw in range(effort.draws):
            for pair in self.pairs:
                for variant in self.variants:
                    name = "-".join(filter(None, (*pair, variant, f"draw{draw}")))
                    column = {self.variant_column: variant} if variant else {}
                    cell = {"input": pair[0], "target": pair[1], **column}
                    settings = self.settings_of(effort, variant, draw)
                    yield Job(name, partial(self._measure, cell, draw, settings), settings)

    def settings_of(self, effort: Effort, variant: str, draw: int) -> dict[str, Any]:
        """Return the settings of protocol, effort, variant and draw together."""
        protocol = {**PROTOCOL, **self.settings, **self.variants[variant]}
        quick = {"learning_rates": QUICK_RATES, "trials": 2, **self.quick}
        settings = effort.applied_to(protocol, quick)
        if draw > 0 and "trials" not in effort.changes:
            settings["trials"] = min(settings["trials"], TRIALS_OF_OTHER_DRAWS)
        settings["seed"] += draw
        return settings

    def _measure(
        self, cell: dict[str, str], draw: int, settings: dict[str, Any], context: Context, _: Rows
    ) -> Iterator[Record]:
        """Learn the pair with every rule, activation and learning rate, and yield the errors at the best."""
        options, pair = dict(settings), (cell["input"], cell["target"])
        n, order = options.pop("patterns"), options.pop("input_order")
        inputs, targets = draw_pair(*pair, n, seed=options["seed"], input_order=order)
        found = context.sweep(inputs, targets, rules=self.rules, activations=self.pairs[pair], **options)
        searched = [name for name in ("learning_rate", "weight_decay") if len(found.axes[name]) > 1]
        for best in found.best(self.by):
            units = {"activation": best.activation, "rule": best.rule}
            yield from records(
                {**cell, **units}, self._per_trial(found.trials_of(best)), best, draw, searched
            )

    def _per_trial(self, errors: Array) -> dict[str, Array]:
        """Return the means of the printed measures by trial, from the errors by trial and pattern."""
        everything = errors.mean(axis=1)
        if self.by == "all":
            return {"mae_mean": everything}
        chosen = errors[:, patterns_of(self.by, errors.shape[1])].mean(axis=1)
        return {f"mae_{self.by}": chosen, "mae_all": everything}
