"""Pairs of datasets that deviate as a whole: all cells of a pair were printed from one draw of patterns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from hebbian_descent.paper.comparison import Verdict, is_drawn, root_mean_square
from hebbian_descent.paper.layout import data_name


class Pairs(NamedTuple):
    """How far the pairs of datasets of one column of a table are from ours."""

    label: str
    column: str
    n_pairs: int
    rms_of_means: float
    """Root mean square of the mean z of each pair."""
    furthest: str
    z_of_furthest: float
    """Its mean z."""
    rms_of_others: float
    """Root mean square of z without the furthest pair."""


def pairs(verdicts: Iterable[Verdict]) -> list[Pairs]:
    """Return one row for each column of each table that was run on at least two pairs."""
    columns: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        if is_drawn(verdict.row) and np.isfinite(verdict.z):
            columns[verdict.row.label, verdict.column][data_name(verdict.row.cell)].append(verdict.z)
    return [_of_column(*place, found) for place, found in columns.items() if len(found) > 1]


def _of_column(label: str, column: str, z_of_pairs: dict[str, list[float]]) -> Pairs:
    means = {name: float(np.mean(z)) for name, z in z_of_pairs.items()}
    furthest = max(means, key=lambda name: abs(means[name]))
    others = [z for name, found in z_of_pairs.items() if name != furthest for z in found]
    return Pairs(
        label,
        column,
        len(means),
        root_mean_square(means.values()),
        furthest,
        means[furthest],
        root_mean_square(others),
    )
