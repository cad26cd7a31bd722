"""What became of the output units of value networks, and of their returns.

A unit is dead at a look if a ≤ 0 in all states. A fifth of learning is a fifth of the looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pandas as pd

from hebbian_descent.plotting import ACTIVATION_COLORS, RULE_STYLES
from reproduction.rows import Rows


class Task(NamedTuple):
    """An environment of gymnasium, the longest episode, and the hidden layers of networks for it."""

    title: str
    environment: str
    longest: int
    hidden: tuple[int, ...]


TASKS = {
    "cartpole": Task("CartPole", "CartPole-v1", 500, (64, 64)),
    "breakout": Task("Breakout", "MinAtar/Breakout-v1", 1000, (64,)),
}


class Variant(NamedTuple):
    """Output units and their loss, as tables and figures show them."""

    title: str
    color: str


VARIANTS = {
    "linear": Variant("linear, squared error", ACTIVATION_COLORS["linear"]),
    "squared": Variant("rectifier, squared error", RULE_STYLES["gradient_descent"]["color"]),
    "matching": Variant("rectifier, matching loss", RULE_STYLES["hebbian_descent"]["color"]),
}
RECTIFIED = ("squared", "matching")
SEARCH, USUAL, NEGATIVE = "search", "usual", "negative"
"""Starts: the first compares learning rates, on seeds of its own."""
Place = tuple[str, str, str, str]
"""Task, start, variant and learning rate."""
RUN = ["task", "start", "variant", "learning_rate", "draw"]


def over_looks(rows: Rows, measure_: str, *settings: str) -> pd.DataFrame:
    """Return a measure with a line per look and a column per run."""
    found = rows[rows["measure"] == measure_].astype(dict.fromkeys(("look", *RUN[:-1]), str))
    found = found.astype({"look": int}).pivot(index="look", columns=[*RUN, *settings], values="value")
    return found.sort_index(axis=1)


def fifth(looks: pd.DataFrame) -> int:
    """Return how many looks make a fifth of learning; the one before learning is not counted."""
    return max((len(looks) - 1) // 5, 1)


def fates(rows: Rows) -> pd.DataFrame:
    """Return what became of each output unit, a line per unit and run.

    Dead early is dead before learning or at some look of the first fifth; trapped units are dead early and at
    every look of the last fifth. Units that died were active before learning.
    """
    dead = over_looks(rows, "dead", "unit").astype(bool)
    early = dead.iloc[: fifth(dead) + 1].any()
    found = pd.DataFrame({"at_start": dead.iloc[0], "died": ~dead.iloc[0] & dead.any(), "early": early})
    found["trapped"] = early & dead.iloc[-fifth(dead) :].all()
    found["died_trapped"] = found["died"] & found["trapped"]
    return found.assign(came_back=(dead & ~dead.shift(-1, fill_value=True)).any())


def late_returns(rows: Rows) -> pd.Series:
    """Return each run's mean return over the last fifth of learning."""
    found = over_looks(rows, "return")
    return found.iloc[-fifth(found) :].mean()


def chosen_rates(late: pd.Series, task: str) -> tuple[dict[str, str], str]:
    """Return the learning rate of each variant with the highest return, and the best on average over all."""
    found = late.loc[task, SEARCH].groupby(level=["variant", "learning_rate"]).mean().unstack("variant")
    return dict(found.idxmax()), str(found.sum(axis=1).idxmax())


class Findings:
    """Fates, returns and chosen learning rates of all runs."""

    def __init__(self, rows: Rows) -> None:
        self.dead, self.returns = over_looks(rows, "dead", "unit"), over_looks(rows, "return")
        self.units, self.late = fates(rows), late_returns(rows)
        greedy = rows[rows["measure"] == "greedy_return"].astype(dict.fromkeys(RUN[:-1], str))
        self.greedy = greedy.set_index(RUN)["value"].sort_index()
        """Mean returns of the greedy policy after learning."""
        self.tasks = [str(task) for task in rows["task"].unique()]
        self.own, self.common = {}, {}
        for task in self.tasks:
            self.own[task], self.common[task] = chosen_rates(self.late, task)

    def conditions(self) -> Iterator[tuple[str, Place]]:
        """Yield what networks are measured from, and where their numbers are."""
        for task, variant in product(self.tasks, VARIANTS):
            own, common = self.own[task][variant], self.common[task]
            yield "usual start", (task, USUAL, variant, own)
            if variant in RECTIFIED:
                yield "negative start", (task, NEGATIVE, variant, own)
            if own != common:
                yield "usual start, common rate", (task, USUAL, variant, common)

    def counts(self) -> pd.DataFrame:
        """Return how many units met each fate, by task, variant and start, at the chosen learning rates."""
        is_own = [
            start == SEARCH or rate == self.own[task][variant]
            for task, start, variant, rate, *_ in self.units.index
        ]
        return self.units[is_own].groupby(level=["task", "variant", "start"]).sum()

    def hit(self, task: str, rate: str) -> pd.Series:
        """Return whether some output unit of the squared error was dead early, for each run."""
        return self.units["early"].loc[task, USUAL, "squared", rate].groupby(level="draw").any()

    def gain(
        self, returns: pd.Series, task: str, start: str, other: str, rate: str | None = None
    ) -> pd.Series:
        """Return by how much a return of the matching loss exceeds that of another variant, for each run.

        Each is taken at the learning rate chosen for it, unless a rate is given.
        """
        mine, theirs = (
            returns.loc[task, start, variant, rate or self.own[task][variant]]
            for variant in ("matching", other)
        )
        return mine - theirs
