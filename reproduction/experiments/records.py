"""What a sweep measured, as records of the table of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.sweep import Best

Record = dict[str, Any]


def records(
    cell: Mapping[str, str],
    per_trial: Mapping[str, Array],
    best: Best,
    draw: int = 0,
    settings: Sequence[str] = ("learning_rate",),
) -> Iterator[Record]:
    """Yield the errors of each trial at the best settings of a cell, and the settings that were searched."""
    for measure, values in per_trial.items():
        for trial, value in enumerate(np.asarray(values, dtype=float)):
            yield {**cell, "draw": draw, "trial": trial, "measure": measure, "value": value}
    for name in settings:
        yield {**cell, "draw": draw, "measure": name, "value": getattr(best, name)}
