"""Which learning rate and decay did best: trials are averaged first, and what diverged never wins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array
from hebbian_descent.sweep.measures import get_measure


class Best(NamedTuple):
    """The best setting of one rule and activation."""

    rule: str
    activation: str
    learning_rate: float
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


def patterns_of(by: str, n_patterns: int) -> slice:
    """Return which patterns a criterion looks at: `all`, `last`, `last20` and the like."""
    match = re.fullmatch(r"last(\d*)", by)
    if by == "all":
        return slice(None)
    if match is None or match[1] == "0":
        raise ValueError(
            f"The criterion must be 'all', 'last' or 'last' with a number, as 'last20'. Got {by!r}."
        )
    wanted = int(match[1] or 1)
    if wanted > n_patterns:
        raise ValueError(f"The criterion must not exceed the {n_patterns} patterns. Got {by!r}: use 'all'.")
    return slice(n_patterns - wanted, None)


def select(
    axes: Mapping[str, npt.NDArray[Any]],
    values: Array,
    diverged: npt.NDArray[np.bool_],
    measure: str,
    by: str,
) -> list[Best]:
    """Return the best setting of each rule and activation; on ties the first one listed."""
    chosen = patterns_of(by, values.shape[-1])
    higher = get_measure(measure).higher_is_better
    per_trial = values[..., chosen].mean(axis=-1)  # (rule, activation, rate, decay, trial)
    score = per_trial.mean(axis=-1)
    usable = ~diverged.any(axis=-1) & np.isfinite(score)
    cost = np.where(usable, -score if higher else score, np.inf)
    found = []
    for r, rule in enumerate(axes["rule"]):
        for a, activation in enumerate(axes["activation"]):
            i, d = np.unravel_index(cost[r, a].argmin(), cost[r, a].shape)
            runs = per_trial[r, a, i, d]
            found.append(
                Best(
                    rule=str(rule),
                    activation=str(activation),
                    learning_rate=float(axes["learning_rate"][i]),
                    weight_decay=float(axes["weight_decay"][d]),
                    measure=measure,
                    by=by,
                    value=float(runs.mean()) if usable[r, a, i, d] else np.nan,
                    std=float(runs.std()) if usable[r, a, i, d] else np.nan,
                    per_pattern=values[r, a, i, d].mean(axis=0),
                    per_pattern_std=values[r, a, i, d].std(axis=0),
                    n_diverged=int(diverged[r, a].sum()),
                )
            )
    return found
