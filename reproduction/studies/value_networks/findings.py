"""What the numbers of the parts say: fates of output units, returns, and the learning rate that was best.

A unit is dead at a look if a ≤ 0 in all states looked at, *early* if it is dead before learning or at
some look of its first fifth, and *trapped* if it is dead early and at every look of the last fifth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from reproduction.studies.base import Numbers
from reproduction.studies.value_networks.tasks import Flags
from reproduction.studies.value_networks.variants import RECTIFIED, VARIANTS

NATURAL, NEGATIVE, COMMON, RATES = "", "-negative", "-common", "-rates"
"""Ends of the names of parts; parts that end in `-rates` compare learning rates."""
CONDITIONS = {NATURAL: "usual start", NEGATIVE: "negative start", COMMON: "usual start, common rate"}


def conditions_of(variant: str) -> tuple[str, ...]:
    """Return under what a variant is measured; linear outputs do not die, whatever their bias."""
    return tuple(end for end in CONDITIONS if end != NEGATIVE or variant in RECTIFIED)


def part_name(task: str, variant: str, end: str = NATURAL) -> str:
    """Return the name of a part."""
    return f"{task}-{variant}{end}"


class Fates(NamedTuple):
    """Whether each output unit of each run was dead, (n_runs, n_actions)."""

    at_start: Flags
    early: Flags
    trapped: Flags
    died: Flags
    """Active before learning, and dead at some later look."""
    came_back: Flags
    """Dead at some look and active at a later one."""


def fates(numbers: Numbers) -> Fates:
    """Return the fates of all output units of a part."""
    dead = np.array(numbers["dead"], dtype=bool)  # (n_looks, n_runs, n_actions)
    fifth = fifth_of(len(dead))
    early: Flags = np.any(dead[: fifth + 1], axis=0)
    late: Flags = np.all(dead[-fifth:], axis=0)
    came_back: Flags = np.any(dead[:-1] & ~dead[1:], axis=0)
    died: Flags = ~dead[0] & np.any(dead, axis=0)
    return Fates(dead[0], early, early & late, died, came_back)


def fifth_of(n_looks: int) -> int:
    """Return how many looks make a fifth of learning; the one before learning is not counted."""
    return max((n_looks - 1) // 5, 1)


def greedy_returns(numbers: Numbers) -> Array:
    """Return each run's mean return of the greedy policy after learning."""
    return np.array(numbers["greedy"])


def late_returns(numbers: Numbers) -> Array:
    """Return each run's mean return over the last fifth of learning."""
    returns = np.array(numbers["returns"])
    return returns[-fifth_of(len(returns)) :].mean(axis=0)


def returns_by_rate(numbers: Numbers) -> dict[float, float]:
    """Return the mean return over the last fifth of learning, by learning rate."""
    rates = np.array(numbers["runs"])[:, 0]
    late = late_returns(numbers)
    return {float(rate): float(late[rates == rate].mean()) for rate in dict.fromkeys(rates.tolist())}


def best_rate(numbers: Numbers) -> float:
    """Return the learning rate with the highest return."""
    found = returns_by_rate(numbers)
    return max(found, key=lambda rate: found[rate])


def common_rate(parts: Mapping[str, Numbers], task: str) -> float:
    """Return the learning rate with the highest return on average over all variants."""
    found = [returns_by_rate(parts[part_name(task, variant, RATES)]) for variant in VARIANTS]
    return max(found[0], key=lambda rate: sum(each[rate] for each in found))


class Pooled(NamedTuple):
    """Counts of output units over tasks."""

    early: int
    trapped: int
    died: int
    died_trapped: int
    """Of those that died, how many are trapped."""


def pooled(parts: Mapping[str, Numbers], names: Iterable[str]) -> Pooled:
    """Return how many units of these parts were dead early, are trapped, and died."""
    found = [fates(parts[name]) for name in names]
    flags = ([each.early, each.trapped, each.died, each.died & each.trapped] for each in found)
    return Pooled(*(sum(int(each.sum()) for each in column) for column in zip(*flags, strict=True)))


def hit_runs(parts: Mapping[str, Numbers], task: str, end: str = NATURAL) -> Flags:
    """Return whether some output unit of the squared error was dead early, for each run."""
    hit: Flags = np.any(fates(parts[part_name(task, "squared", end)]).early, axis=1)
    return hit
