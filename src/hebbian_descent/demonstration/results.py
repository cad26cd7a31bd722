"""The demonstration's numbers: 100 pairs of patterns, each learned once, by four rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from hebbian_descent.datasets import draw_pair
from hebbian_descent.plotting import RULE_STYLES
from hebbian_descent.sweep import SweepResult, sweep
from hebbian_descent.sweep.grid_sweep import Progress
from hebbian_descent.sweep.grids import QUICK_RATES

RULES = tuple(RULE_STYLES)
ACTIVATIONS = ("linear", "sigmoid")
TRIALS = 2
SEED = 0


class Setting(NamedTuple):
    """A pair of datasets, none of which needs a download, and how it is centered."""

    input: str
    target: str
    centering: Literal["mean"] | None = "mean"


CENTERED = (
    Setting("rand", "rand"),
    Setting("rand", "digits"),
    Setting("randn", "digits"),
    Setting("connect_positions", "digits"),
    Setting("digits", "rand"),
    Setting("digits", "digits"),  # the hard case: similar inputs overwrite each other
)
"""The rows of the table."""
UNCENTERED = Setting("rand", "rand", None)

Results = Mapping[Setting, SweepResult]


def learn(setting: Setting, store: Path, progress: Progress | None = None) -> SweepResult:
    """Learn 100 pairs once each, by every rule, with linear and with sigmoid units.

    Finished parts are kept in the store, so that a stopped demonstration resumes.
    """
    inputs, targets = draw_pair(setting.input, setting.target, seed=SEED)
    return sweep(
        inputs,
        targets,
        rules=RULES,
        activations=ACTIVATIONS,
        learning_rates=QUICK_RATES,
        trials=TRIALS,
        centering=setting.centering,
        seed=SEED,
        store=str(store),
        progress=progress,
    )


class Row(NamedTuple):
    """The errors of one rule at its best learning rate, averaged over the trials."""

    input: str
    target: str
    activation: str
    rule: str
    learning_rate: float
    mae_last20: float
    """Mean absolute error of the 20 patterns learned last, by which the learning rate was chosen."""
    std_last20: float
    """Its standard deviation over the trials."""
    mae_all: float


def rows(results: Results) -> list[Row]:
    """Return one row for each centered pair of datasets, rule and activation."""
    return [
        Row(
            setting.input,
            setting.target,
            best.activation,
            best.rule,
            best.learning_rate,
            best.value,
            best.std,
            float(best.per_pattern.mean()),
        )
        for setting in CENTERED
        for best in results[setting].best("last20")
    ]


class Line(NamedTuple):
    """A line of the table: one pair of datasets with one activation, the rules side by side."""

    pair: str
    activation: str
    errors: Mapping[str, float]

    @property
    def best(self) -> list[str]:
        """The rules with the smallest error; linear units have two, since both descents are the same rule."""
        return [rule for rule, error in self.errors.items() if error == min(self.errors.values())]


def lines(measured: list[Row], measure: Literal["mae_last20", "mae_all"] = "mae_last20") -> list[Line]:
    """Arrange one measure of the rows as the lines of a table."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in measured:
        errors = found.setdefault((f"{row.input}→{row.target}", row.activation), {})
        errors[row.rule] = getattr(row, measure)
    return [Line(*heading, errors) for heading, errors in found.items()]
