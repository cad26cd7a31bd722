"""The scores of bench/quality.py: how they are kept, and which contenders are among the best."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from quality_models import CONTENDERS
from quality_rows import ROWS

Seeds = Sequence[float | None]
"""One score per seed; None where the contender has diverged."""


Cells = Mapping[str, Seeds]
"""The scores of one line by contender."""


class Line(NamedTuple):
    """A line of a table: a row with its inputs in one form."""

    row: str
    form: str


Scores = Mapping[Line, Cells]


class Kept:
    """What was measured, in a file with a line of text for every cell."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Any:
        """Return versions of packages, sizes of datasets, and scores by `row | form | contender`."""
        if self.path.exists():
            return json.loads(self.path.read_text(encoding="utf-8"))
        return {"versions": {}, "sizes": {}, "scores": {}}

    def scores(self, names: Iterable[str] = CONTENDERS) -> dict[Line, dict[str, Seeds]]:
        """Return the scores of contenders line by line, both in the order of their lists."""
        kept = self.read()["scores"]
        lines = [Line(row.name, form) for row in ROWS for form in row.forms]
        found = {
            line: {name: kept[key] for name in names if (key := key_of(line, name)) in kept} for line in lines
        }
        return {line: cells for line, cells in found.items() if cells}

    def add(self, part: str, name: str, value: Any) -> None:
        """Add or replace one value; the file is complete at every moment."""
        content = self.read()
        content[part][name] = value
        parts = [f' "{title}": {{\n{_one_per_line(values)}\n }}' for title, values in content.items()]
        new = self.path.with_suffix(".new")
        new.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
        os.replace(new, self.path)


def _one_per_line(values: dict[str, Any]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(values.items()))


def key_of(line: Line, contender: str) -> str:
    """Return the name under which a cell is kept."""
    return " | ".join((*line, contender))


def has_diverged(seeds: Seeds) -> bool:
    """Return whether learning failed with any seed."""
    return None in seeds


def mean_of(seeds: Seeds) -> float:
    """Return the mean score; minus infinity if the contender has diverged."""
    return -np.inf if has_diverged(seeds) else float(np.mean(np.array(seeds, float)))


def deviation_of(seeds: Seeds) -> float:
    """Return the standard deviation over seeds."""
    return float(np.std(np.array(seeds, float), ddof=1)) if len(seeds) > 1 else 0.0


def best_of(cells: Cells) -> str:
    """Return the contender with the highest mean."""
    return max(cells, key=lambda name: mean_of(cells[name]))


def online(cells: Cells) -> dict[str, Seeds]:
    """Return only the cells of linear online learners."""
    return {name: seeds for name, seeds in cells.items() if CONTENDERS[name].is_online}


def among_best(cells: Cells) -> set[str]:
    """Return the linear online learners within one standard deviation of the best of them."""
    learners = online(cells)
    best = learners[best_of(learners)]
    least = mean_of(best) - deviation_of(best)
    return {name for name, seeds in learners.items() if mean_of(seeds) >= least}
