"""Selection of the best learning rate and decay: trials are averaged, and diverged ones never win."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.engines.grid import rate_of_label
from hebbian_descent.measures import Measure, get_measure


class Best(NamedTuple):
    """The best setting of one rule and activation."""

    rule: str
    activation: str
    learning_rate: Any
    """η, or "auto"."""
    weight_decay: float
    measure: str
    by: str
    value: float
    """The measure by which it was chosen, averaged over the trials; NaN if every setting diverged."""
    std: float
    """Its standard deviation over the trials."""
    per_pattern: Array
    """The measure of each pattern, averaged over the trials."""
    per_pattern_std: Array
    n_diverged: int
    """How many of the rule's and activation's runs diverged."""
    edge: Literal["smallest", "largest"] | None = None
    """Whether the learning rate is the smallest or the largest tried and no other is as good: the true best
    may lie beyond."""

    @property
    def doubt(self) -> str:
        """Why a better setting may exist, and what to try; empty if there is no sign of one."""
        if np.isnan(self.value):
            return "every learning rate diverged: try smaller ones"
        if self.edge is not None:
            beyond = {"smallest": "smaller", "largest": "larger"}[self.edge]
            return (
                f"the best learning rate, {self.learning_rate:g}, is the {self.edge} tried: try {beyond} ones"
            )
        return ""


def patterns_of(by: str, n_patterns: int) -> slice:
    """Return which patterns a criterion looks at: `all`, `last`, `last20` and the like."""
    match = re.fullmatch(r"last(\d*)", by)
    if by == "all":
        return slice(None)
    if match is None or match[1] == "0":
        raise ValueError(
            f"The criterion must be 'all', 'last', or 'last' with a number, such as 'last20'. Got {by!r}."
        )
    wanted = int(match[1] or 1)
    if wanted > n_patterns:
        raise ValueError(f"The criterion must not exceed the {n_patterns} patterns. Got {by!r}: use 'all'.")
    return slice(n_patterns - wanted, None)


def in_words(by: str) -> str:
    """Return a criterion in words."""
    if by in ("all", "last"):
        return {"all": "all patterns", "last": "the last pattern"}[by]
    return f"the last {by.removeprefix('last')} patterns"


def costs(values: Array, diverged: npt.NDArray[np.bool_], measure: str | Measure, by: str) -> Array:
    """Return what is to be minimised, over rule, activation, rate and decay; inf where a trial diverged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # diverged runs are NaN throughout
        score = values[..., patterns_of(by, values.shape[-1])].mean(axis=(-2, -1))
    usable = ~diverged.any(axis=-1) & np.isfinite(score)
    sign = -1 if get_measure(measure).higher_is_better else 1
    return np.where(usable, sign * score, np.inf)


def select(
    axes: Mapping[str, npt.NDArray[Any]],
    values: Array,
    diverged: npt.NDArray[np.bool_],
    measure: str | Measure,
    by: str,
) -> list[Best]:
    """Return the best setting of each rule and activation; on ties the first one listed."""
    cost = costs(values, diverged, measure, by)
    per_trial = values[..., patterns_of(by, values.shape[-1])].mean(axis=-1)
    rates = [rate_of_label(label) for label in axes["learning_rate"]]
    found = []
    for r, rule in enumerate(axes["rule"]):
        for a, activation in enumerate(axes["activation"]):
            i, d = np.unravel_index(cost[r, a].argmin(), cost[r, a].shape)
            usable = np.isfinite(cost[r, a, i, d])
            found.append(
                Best(
                    rule=str(rule),
                    activation=str(activation),
                    learning_rate=rates[i],
                    weight_decay=float(axes["weight_decay"][d]),
                    measure=get_measure(measure).name,
                    by=by,
                    value=float(per_trial[r, a, i, d].mean()) if usable else np.nan,
                    std=float(per_trial[r, a, i, d].std()) if usable else np.nan,
                    per_pattern=values[r, a, i, d].mean(axis=0),
                    per_pattern_std=values[r, a, i, d].std(axis=0),
                    n_diverged=int(diverged[r, a].sum()),
                    edge=_edge(rates, cost[r, a].min(axis=-1), int(i)),
                )
            )
    return found


def _edge(rates: Sequence[Any], costs: Array, chosen: int) -> Literal["smallest", "largest"] | None:
    """Return at which end of the fixed learning rates the chosen one lies, if no other is as good."""
    others = [i for i, rate in enumerate(rates) if i != chosen and isinstance(rate, float)]
    if not others or not isinstance(rates[chosen], float) or not costs[chosen] < costs[others].min():
        return None
    if all(rates[chosen] < rates[i] for i in others):
        return "smallest"
    return "largest" if all(rates[chosen] > rates[i] for i in others) else None
