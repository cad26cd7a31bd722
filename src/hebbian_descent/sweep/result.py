"""The result of a sweep: every measure of every run and pattern, with named axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbian_descent import plotting
from hebbian_descent.checks import Array, require_extra, unknown_name
from hebbian_descent.engines.base import NEVER, CellResult
from hebbian_descent.engines.choice import Choice
from hebbian_descent.engines.grid import Grid, labels_of_rates, name_of, rate_of_label
from hebbian_descent.measures import Measure, MeasureLike, get_measure
from hebbian_descent.sweep.selection import Best, costs, in_words, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = ("rule", "activation", "learning_rate", "weight_decay", "trial", "pattern")


@dataclass(frozen=True, eq=False)
class SweepResult:
    """Arrays over the axes rule, activation, learning_rate, weight_decay, trial and pattern."""

    axes: Mapping[str, npt.NDArray[Any]]
    """The labels of each axis; all learning rates are words if one of them is automatic."""
    values: Mapping[str, Array]
    """Each measure over all six axes; NaN for diverged runs."""
    diverged_at: npt.NDArray[np.int64]
    """The step at which a run diverged, or −1, over all axes but the last."""
    choices: Mapping[str, Choice]
    """The engine that ran each cell, and why."""
    baseline: float
    """The mean absolute error of always answering with the mean target."""
    seconds: float
    own_measures: Mapping[str, Measure] = field(default_factory=dict)
    """The measures that are not the package's own, by name."""

    @classmethod
    def collect(
        cls,
        grid: Grid[Any, Any],
        cells: Sequence[CellResult],
        *,
        choices: Mapping[str, Choice],
        baseline: float,
        seconds: float,
    ) -> SweepResult:
        """Assemble the results of the cells, given in the order of the grid."""
        n_evaluated = next(iter(cells[0].values.values())).shape[-1]
        axes = {
            "rule": np.array([name_of(rule) for rule in grid.rules]),
            "activation": np.array([str(activation) for activation in grid.activations]),
            "learning_rate": labels_of_rates(grid.learning_rates),
            "weight_decay": np.array(grid.weight_decays),
            "trial": np.array(grid.trials),
            "pattern": np.arange(n_evaluated),
        }
        shape = tuple(len(labels) for labels in axes.values())
        values = {name: np.empty(shape, grid.dtype) for name in grid.value_names}
        diverged_at = np.empty(shape[:-1], dtype=np.int64)
        for number, cell in enumerate(cells):
            r, a, d = np.unravel_index(number, (shape[0], shape[1], shape[3]))
            for name in grid.value_names:
                values[name][r, a, :, d] = cell.values[name]
            diverged_at[r, a, :, d] = cell.diverged_at
        own = {measure.name: measure for measure in grid.measures if not measure.is_built_in}
        return cls(axes, values, diverged_at, choices, baseline, seconds, own)

    @property
    def diverged(self) -> npt.NDArray[np.bool_]:
        """Which runs diverged, over all axes but the last."""
        diverged: npt.NDArray[np.bool_] = self.diverged_at != NEVER
        return diverged

    def errors(self, measure: MeasureLike = "mae") -> Array:
        """Return one measure over all six axes."""
        name = self._name(measure)
        if name not in self.values:
            raise unknown_name("measure of this sweep", name, self.values)
        return self.values[name]

    def best(self, by: str = "last20", measure: MeasureLike | None = None) -> list[Best]:
        """Return the best learning rate and decay for each rule and activation.

        `by` is `last` followed by a number (the patterns seen last), `last` (the very last) or `all`; for
        evaluated patterns that were not learned, `all` is the test error. The trials are averaged first; a
        learning rate with a diverged trial is never best.
        """
        name = self._name(measure)
        return select(self.axes, self.errors(name), self.diverged, self._measure(name), by)

    def doubts(self, by: str = "last20", measure: MeasureLike | None = None) -> dict[str, str]:
        """Return, by rule and activation, why a better setting may exist, and what to try.

        Either every learning rate diverged, or the best one is the smallest or the largest tried.
        """
        return {
            f"{best.rule}, {best.activation}": best.doubt for best in self.best(by, measure) if best.doubt
        }

    def trials_of(self, best: Best, measure: MeasureLike | None = None) -> Array:
        """Return a measure for each trial and pattern of a best setting, (n_trials, n_patterns)."""
        wanted = (best.rule, best.activation, best.learning_rate, best.weight_decay)
        place = tuple(
            int(np.flatnonzero(self.axes[axis] == np.array(value, self.axes[axis].dtype))[0])
            for axis, value in zip(AXES, wanted, strict=False)
        )
        return np.asarray(self.errors(measure or best.measure)[place])

    def costs(self, by: str = "last20", measure: MeasureLike | None = None) -> Array:
        """Return what `best` minimises, over rule, activation, learning rate and weight decay."""
        name = self._name(measure)
        return costs(self.errors(name), self.diverged, self._measure(name), by)

    def to_xarray(self) -> Any:
        """Return all measures as one xarray Dataset with labelled dimensions."""
        xarray = require_extra("xarray", extra="results", purpose="An xarray of results")
        data: dict[str, Any] = {name: (AXES, values) for name, values in self.values.items()}
        data["diverged_at"] = (AXES[:-1], self.diverged_at)
        attributes = {"baseline_mae": self.baseline, "seconds": self.seconds}
        return xarray.Dataset(data, coords=dict(self.axes), attrs=attributes)

    def to_pandas(self) -> Any:
        """Return a table with one row for each run and pattern."""
        pandas = require_extra("pandas", extra="results", purpose="A table of results")
        index = pandas.MultiIndex.from_product(self.axes.values(), names=AXES)
        table = pandas.DataFrame({name: v.ravel() for name, v in self.values.items()}, index=index)
        table["diverged"] = np.repeat(self.diverged.ravel(), len(self.axes["pattern"]))
        return table.reset_index()

    def plot_learning_rates(self, by: str = "last20", measure: MeasureLike | None = None) -> Figure:
        """Return a figure of how well each learning rate did, at its best weight decay, one line per rule."""
        name = self._name(measure)
        rates = [rate_of_label(label) for label in self.axes["learning_rate"]]
        # An automatic rate has no place on an axis of numbers.
        is_fixed = np.array([isinstance(rate, float) for rate in rates])
        if not is_fixed.any():
            raise ValueError("A curve over learning rates needs fixed ones. Got only 'auto'.")
        cost = self.costs(by, name).min(axis=-1)[..., is_fixed]
        sign = -1 if self._measure(name).higher_is_better else 1
        return plotting.learning_rate_curve(
            np.array([rate for rate in rates if isinstance(rate, float)]),
            dict(
                zip(
                    self._labels(),
                    np.where(np.isfinite(cost), sign * cost, np.nan).reshape(-1, cost.shape[-1]),
                    strict=True,
                )
            ),
            baseline=self.baseline if name == "mae" else None,
            title=f"Each learning rate, judged by {in_words(by)}",
            measure=self._measure(name).title,
        )

    def plot_forgetting(self, by: str = "last20", measure: MeasureLike | None = None) -> Figure:
        """Return a figure of each pattern's measure at the best learning rate, and its spread."""
        best = dict(zip(self._labels(), self.best(by, measure), strict=True))
        name = self._name(measure)
        return plotting.forgetting_curve(
            {label: found.per_pattern for label, found in best.items()},
            spread={label: found.per_pattern_std for label, found in best.items()},
            baseline=self.baseline if name == "mae" else None,
            title=f"At the best learning rate for {in_words(by)}",
            measure=self._measure(name).title,
        )

    def _name(self, measure: MeasureLike | None) -> str:
        if measure is None:
            return next(iter(self.values))
        return measure if isinstance(measure, str) else get_measure(measure).name

    def _measure(self, name: str) -> Measure:
        return self.own_measures.get(name) or get_measure(name)

    def _labels(self) -> list[str]:
        activations = self.axes["activation"]
        return [
            f"{rule}, {activation}" if len(activations) > 1 else str(rule)
            for rule in self.axes["rule"]
            for activation in activations
        ]

    def __str__(self) -> str:
        n_runs = self.diverged.size
        engines = sorted({choice.engine for choice in self.choices.values()})
        return (
            f"{n_runs} runs ({', '.join(f'{len(labels)} {axis}' for axis, labels in self.axes.items())}), "
            f"{int(self.diverged.sum())} diverged, engine {' and '.join(engines)}, {self.seconds:.2f} s"
        )
