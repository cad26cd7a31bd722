"""The hetero-associative tables: one pattern set learned from another, for every pair of datasets.

Which 100 patterns the authors drew is unknown. So several draws are run, and the printed number is compared
with them as one draw more; the first draw has ten trials, as in the paper, the others two, since initial
weights matter far less than patterns.

Paper: sec:HD_hetero_associative_learning
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hebbian_descent.checks import unknown_name
from hebbian_descent.datasets import draw_pair
from hebbian_descent.paper.grids import LEARNING_RATES, WEIGHT_DECAYS
from hebbian_descent.paper.printed import PrintedRow, printed_rows
from hebbian_descent.results import Store
from hebbian_descent.sweep import SweepResult, TargetRangeWarning, sweep

N_TRIALS = {0: 10}  # by draw
N_TRIALS_OF_OTHER_DRAWS = 2

RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")


@dataclass(frozen=True)
class Association:
    """How the numbers of one file of printed tables come about."""

    file: str
    by: str
    """The patterns by which the paper chooses the learning rate."""
    options: Mapping[str, Any] = field(default_factory=dict)
    column: str = ""
    """The column that tells the variants of a table apart, if it has any."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})


ASSOCIATIONS: dict[str, Association] = {
    "hetero_online_centered": Association("hetero_online_centered", "last20"),
    "hetero_online_uncentered": Association("hetero_online_uncentered", "last20", {"centering": None}),
    "hetero_online_adaptive_offsets": Association(
        "hetero_online_adaptive_offsets",
        "last20",
        column="offsets",
        variants={
            "fixed": {"centering": "mean"},
            "adaptive": {"centering": "moving", "shift": 0.05, "offset_start": 0.5},
        },
    ),
    "hetero_online_weight_decay": Association(
        "hetero_online_weight_decay", "last20", {"weight_decays": WEIGHT_DECAYS}
    ),
    "hetero_multi_epoch": Association(
        "hetero_multi_epoch",
        "all",
        {"epochs": 100},
        column="centering",
        variants={"centered": {"centering": "mean"}, "uncentered": {"centering": None}},
    ),
}


class Job(NamedTuple):
    """One sweep of an association: a pair of datasets, a variant and a draw of the patterns."""

    association: Association
    input_name: str
    target_name: str
    variant: str
    draw: int
    rows: tuple[PrintedRow, ...]


class Measured(NamedTuple):
    """What one draw gives for a printed row."""

    row: PrintedRow
    draw: int
    results: Mapping[str, float]
    learning_rate: float
    weight_decay: float


def jobs(
    association: Association, n_draws: int, label: str | None = None, pair: tuple[str, str] | None = None
) -> Iterator[Job]:
    """Yield the sweeps of an association, of one table or pair if given, first all first draws, and so on."""
    rows = [row for row in printed_rows(label) if row.file == association.file]
    pairs = dict.fromkeys((row.cell["input"], row.cell["target"]) for row in rows)
    if pair is not None:
        if pair not in pairs:
            raise unknown_name("pair of datasets", ":".join(pair), [":".join(known) for known in pairs])
        pairs = {pair: None}
    for draw in range(n_draws):
        for input_name, target_name in pairs:
            for variant in association.variants:
                wanted = {"input": input_name, "target": target_name}
                if association.column:
                    wanted[association.column] = variant
                chosen = tuple(row for row in rows if wanted.items() <= row.cell.items())
                if chosen:
                    yield Job(association, input_name, target_name, variant, draw, chosen)


def run_job(
    job: Job, *, store: Store | None = None, progress: Callable[[int, int], None] | None = None
) -> list[Measured]:
    """Run one sweep, or take it from the store, and return what it gives for each printed row."""
    association = job.association
    inputs, targets = draw_pair(job.input_name, job.target_name, seed=job.draw)
    with warnings.catch_warnings():
        # That rectifiers cannot reach some targets and so on is what the tables are about.
        warnings.simplefilter("ignore", TargetRangeWarning)
        result = sweep(
            inputs,
            targets,
            rules=[rule for rule in RULES if any(row.cell["rule"] == rule for row in job.rows)],
            activations=list(dict.fromkeys(row.cell["activation"] for row in job.rows)),
            learning_rates=LEARNING_RATES,
            trials=N_TRIALS.get(job.draw, N_TRIALS_OF_OTHER_DRAWS),
            store=store,
            progress=progress,
            **association.options,
            **association.variants[job.variant],
        )
    return list(_measured(job, result))


def _measured(job: Job, result: SweepResult) -> Iterator[Measured]:
    best = {(found.rule, found.activation): found for found in result.best(job.association.by)}
    for row in job.rows:
        found = best[row.cell["rule"], row.cell["activation"]]
        everything = float(found.per_pattern.mean())
        values = {"mae_last20": found.value, "mae_all": everything, "mae_mean": everything}
        yield Measured(
            row,
            job.draw,
            {name: values[name] for name in row.results},
            found.learning_rate,
            found.weight_decay,
        )
