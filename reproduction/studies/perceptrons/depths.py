"""What studies of perceptrons share: errors by depth, differences by seed, and one rule for the verdict.

PyTorch is imported by what computes, and not by what reads results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hebbian_descent.thread_pools import one_thread
from reproduction.claims.base import Word
from reproduction.claims.tally import on_all
from reproduction.studies.base import Interval, Numbers, Settings, interval
from reproduction.studies.perceptrons.network import Network

START = 2
"""The depth that is searched first."""


def errors_by_depth(
    settings: Settings, depths: Sequence[int], network_of: Callable[[int], Network], *, from_neighbour: bool
) -> Numbers:
    """Return the test errors of all seeds at the best learning rate of each depth, and the rates that lost.

    Depths are searched from a coarse grid on, or `from_neighbour` from the best rate of the nearest depth.
    """
    from reproduction.studies.perceptrons.rate_search import RateSearch

    search = RateSearch(n_seeds=settings["seeds"], n_updates=settings["updates"])
    best: dict[int, float] = {}
    found: Numbers = {}
    with one_thread():  # these networks are too small to gain from more
        for depth in sorted(depths, key=lambda depth: abs(depth - START)):
            network = network_of(depth)
            if best and from_neighbour:
                search.search_from(network, best[min(best, key=lambda other: abs(other - depth))])
            else:
                search.search(network, stride=2)
            best[depth], errors = search.best(network)
            validation = {f"{rate:g}": each[:, 0].mean() for rate, each in search.rates(network).items()}
            found[str(depth)] = {"rate": best[depth], "errors": errors, "validation": validation}
    return found


class Comparison(NamedTuple):
    """One way to learn against another, of otherwise equal networks."""

    dataset: str
    units: str
    """The kind of units in question."""
    depth: int
    against: str
    """What it is compared with."""
    error: float
    other_error: float
    difference: Interval
    """Test error less that of the other, by seed: below zero it is better."""

    @property
    def is_better(self) -> bool:
        """Whether it is certainly better."""
        return self.difference.is_certain and self.difference.mean < 0

    @property
    def is_worse(self) -> bool:
        """Whether it is certainly worse."""
        return self.difference.is_certain and self.difference.mean > 0


def compared(ours: Numbers, theirs: Numbers, dataset: str, units: str, against: str) -> list[Comparison]:
    """Return the comparison at each depth of two parts."""
    found = []
    for depth, cell in ours.items():
        errors, others = np.array(cell["errors"]), np.array(theirs[depth]["errors"])
        means = float(errors.mean()), float(others.mean())
        found.append(Comparison(dataset, units, int(depth), against, *means, interval(errors - others)))
    return found


def by_units(comparisons: Sequence[Comparison], what: str) -> str:
    """Write how many comparisons are certain (`what` is "is_better" or "is_worse"), and of which units."""
    certain = Counter(one.units for one in comparisons if getattr(one, what))
    every = Counter(one.units for one in comparisons)
    units = ", ".join(f"{unit} {number} of {every[unit]}" for unit, number in certain.most_common())
    return f"{certain.total()} ({units})" if certain else "none"


CLASSES = "The class is that of the largest pre-activation, so equal outputs do not tie."
RULE = (
    "It is judged by the rule of the claims for all cells: it holds if no comparison is certainly worse, "
    "with limits if some are, but fewer than are certainly better, does not hold if at least as many are, "
    "and is undecided if none is certain. Chance makes about one in a hundred certain, for which this rule "
    "makes no allowance."
)


def verdict(comparisons: Sequence[Comparison]) -> Word:
    """Return the verdict of `RULE`."""
    return on_all(sum(one.is_better for one in comparisons), sum(one.is_worse for one in comparisons))
