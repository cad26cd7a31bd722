"""Result of `capacity`: patterns held for each size and draw, with intervals, as a table and a figure."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_number
from hebbian_descent.safe_files import replace_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESAMPLES = 2000
Trace = tuple[npt.NDArray[np.int64], Array]
"""Numbers of patterns tried, and the mean measure of recall for each."""


@dataclass(frozen=True, eq=False)
class CapacityResult:
    """The capacity of a memory, over sizes and draws."""

    sizes: npt.NDArray[np.int64]
    values: Mapping[str, npt.NDArray[Any]]
    """Arrays of shape (n_sizes, n_draws): `capacity` in patterns, `is_limited` where the largest number tried
    was held, `n_synapses`, `n_bytes`, `bits` and `gained_bits` at capacity."""
    traces: Mapping[tuple[int, int], Trace]
    """What was tried for each size and draw."""
    criterion: str

    @property
    def n_patterns(self) -> npt.NDArray[np.int64]:
        """How many patterns were held, for each size and draw."""
        return self.values["capacity"]

    def rows(self, *, level: float = 0.95, seed: int = 0) -> list[dict[str, Any]]:
        """Return one row per size: the mean over the draws, and its bootstrap interval.

        `patterns` is the mean capacity, `low` and `high` its interval, percentiles of the means of draws
        resampled with replacement. `per_unit`, `per_synapse` and `per_byte` are patterns divided by
        numbers of units, synapses and bytes. `bits_per_synapse` is the information about all patterns in what
        is recalled; `gained_bits_per_synapse` is the same minus what the cues of an auto-associative memory
        already tell, negative where a cue tells more than what it recalls, as clean cues do. `limited` counts
        the draws that held the largest number tried and may hold more.
        """
        share = as_number(level, "level of the intervals", above=0, at_most=1)
        rng = np.random.default_rng(seed)
        return [self._row(place, share, rng) for place in range(len(self.sizes))]

    def _row(self, place: int, level: float, rng: np.random.Generator) -> dict[str, Any]:
        at = {name: values[place].astype(np.float64) for name, values in self.values.items()}
        held, size = at["capacity"], int(self.sizes[place])
        drawn = held[rng.integers(len(held), size=(RESAMPLES, len(held)))].mean(axis=1)
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])

        def mean_per(name: str, what: str = "capacity") -> float:
            return float((at[what] / np.maximum(at[name], 1)).mean())

        return {
            "size": size,
            "draws": len(held),
            "patterns": float(held.mean()),
            "low": float(low),
            "high": float(high),
            "per_unit": float(held.mean()) / size,
            "per_synapse": mean_per("n_synapses"),
            "per_byte": mean_per("n_bytes"),
            "bits_per_synapse": mean_per("n_synapses", "bits"),
            "gained_bits_per_synapse": mean_per("n_synapses", "gained_bits"),
            "bits_per_byte": mean_per("n_bytes", "bits"),
            "limited": int(at["is_limited"].sum()),
        }

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as a table with a header."""
        rows, text = self.rows(), io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        replace_atomically(Path(path), text.getvalue().encode())

    def plot(self, axes: Axes | None = None, *, label: str | None = None) -> Figure | None:
        """Plot patterns held against units: each draw as a dot, their mean with its interval.

        Returns a new figure, or None if axes were given to draw into.
        """
        from hebbian_descent.plotting import new_figure

        figure = None
        if axes is None:
            figure, axes = new_figure(width=5.5)
        rows = self.rows()
        mean = np.array([row["patterns"] for row in rows])
        interval = np.abs(np.array([[row["low"], row["high"]] for row in rows]).T - mean)
        style: dict[str, Any] = {"marker": "o", "markersize": 4, "capsize": 3, "label": label}
        line = axes.errorbar(self.sizes, mean, yerr=interval, **style)
        dots = np.broadcast_to(self.sizes[:, np.newaxis], self.n_patterns.shape)
        axes.scatter(dots, self.n_patterns, s=8, alpha=0.35, color=line[0].get_color(), linewidths=0)
        axes.set_xlabel("Units")
        axes.set_ylabel("Patterns held")
        axes.set_title(f"Criterion: {self.criterion}", fontsize=11)
        axes.set_ylim(bottom=0)
        return figure

    def __str__(self) -> str:
        lines = [f"{'units':>6} {'patterns':>9} {'interval':>17} {'per unit':>9} {'bits/synapse':>13}"]
        for row in self.rows():
            interval = f"{row['low']:.1f} to {row['high']:.1f}"
            more = " or more" if row["limited"] else ""
            lines.append(
                f"{row['size']:6} {row['patterns']:9.1f} {interval:>17} {row['per_unit']:9.3f} "
                f"{row['bits_per_synapse']:13.3f}{more}"
            )
        return "\n".join(lines)
