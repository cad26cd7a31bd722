"""Results of a folder: those of your own run, or else of the evidence kept in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np

from reproduction.comparison import Estimate, Key, Verdict, cell_key, draws_by_cell, estimate, judge
from reproduction.context_numbers import CONTEXT_COLUMNS, ContextVerdict, context_verdict, our_number
from reproduction.experiments.base import Measured
from reproduction.kept_evidence import KeptEvidence, read_kept
from reproduction.measurements import Measurement, Measurements
from reproduction.origin import Origin, one_line
from reproduction.paired import Draws, PairedVerdict, compare_pairs, draws_of
from reproduction.printed import PrintedRow, printed_rows
from reproduction.run_context import Effort
from reproduction.tables import TABLES


class Results:
    """Numbers and verdicts of one effort, read from files once.

    With `kept_only` your own run is ignored.
    """

    def __init__(self, folder: Path, effort: Effort | None = None, *, kept_only: bool = False) -> None:
        self.folder = folder
        self.effort = effort or Effort()
        self.kept_only = kept_only
        self._measurements = Measurements(folder, self.effort)
        self._read: dict[str, list[Measurement]] = {}

    @classmethod
    def of(cls, kept: KeptEvidence) -> Results:
        """Return the results of the given evidence."""
        results = cls(Path(), kept_only=True)
        results.kept = kept
        return results

    @cached_property
    def kept(self) -> KeptEvidence:
        """The evidence under version control; only the paper's protocol has any."""
        return read_kept(self.folder) if self.effort.is_the_papers else KeptEvidence()

    def own(self, label: str) -> list[Measurement]:
        """Return what your own run measured."""
        if label not in self._read:
            self._read[label] = [] if self.kept_only else self._measurements.read(label)
        return self._read[label]

    def rows(self, label: str) -> list[Measured]:
        """Return every draw of a label: of your own run, or as kept."""
        own = [row for measurement in self.own(label) for row in measurement.rows]
        return own or list(self.kept.rows.get(label, ()))

    def verdicts(self, label: str) -> list[Verdict]:
        """Judge every printed result of a label."""
        found = []
        for row, draws in self._cells(label):
            found += [judge(row, column, self._estimate(row, column, draws)) for column in row.results]
        return found

    def context(self, label: str) -> list[ContextVerdict]:
        """Judge every printed standard deviation and best learning rate of a label."""
        found = []
        for row, draws in self._cells(label):
            verdicts = {
                column: judge(row, column, self._estimate(row, column, draws)) for column in row.results
            }
            found += [
                context_verdict(row, column, *self._context_number(row, column, draws, verdicts))
                for column in CONTEXT_COLUMNS
                if column in row.context
            ]
        return found

    def _context_number(
        self, row: PrintedRow, column: str, draws: list[Measured], verdicts: dict[str, Verdict]
    ) -> tuple[float, int]:
        kept = None if draws or self.own(row.label) else self._kept_number(row, column)
        return (kept.mean, kept.n) if kept else our_number(row, column, draws, verdicts)

    def _cells(self, label: str) -> Iterable[tuple[PrintedRow, list[Measured]]]:
        draws = draws_by_cell(self.rows(label))
        return ((row, draws.get(cell_key(row.cell), [])) for row in printed_rows(label))

    def _estimate(self, row: PrintedRow, column: str, draws: list[Measured]) -> Estimate | None:
        if draws or self.own(row.label):
            return estimate(row, column, draws)
        return self._kept_number(row, column)

    def _kept_number(self, row: PrintedRow, column: str) -> Estimate | None:
        number = self.kept.numbers.get(row.label, {}).get(cell_key(row.cell), {}).get(column)
        return number.estimate if number else None

    def draws(self) -> Draws:
        """Return every draw of every table."""
        return draws_of((label, self.rows(label)) for label in TABLES)

    def pairs(self, verdicts: Iterable[Verdict]) -> list[PairedVerdict]:
        """Judge the printed differences among results."""
        return compare_pairs(verdicts, self.draws())

    def seconds(self, label: str) -> float:
        """Return how long the jobs of a label took, one after another."""
        if self.own(label):
            return sum(measurement.seconds for measurement in self.own(label))
        # Rules, and units of one pair of datasets, were computed by one job.
        jobs: dict[Key, float] = {}
        for key, seconds in self.kept.seconds(label).items():
            cell = dict(key)
            shared = ("rule", "activation") if "input" in cell else ("rule",)
            jobs[tuple((name, word) for name, word in key if name not in shared)] = seconds
        return float(np.nansum(list(jobs.values())))

    def seconds_of_cells(self, label: str) -> dict[Key, float]:
        """Return the seconds of the jobs that computed each cell."""
        if not self.own(label):
            return self.kept.seconds(label)
        seconds: dict[Key, float] = defaultdict(float)
        for measurement in self.own(label):
            for cell in {cell_key(row.cell) for row in measurement.rows}:
                seconds[cell] += measurement.seconds
        return seconds

    def origin(self, label: str) -> Origin:
        """Return where the numbers of a label come from."""
        if self.own(label):
            return one_line(measurement.origin for measurement in self.own(label))
        return self.kept.origins.get(label, Origin())

    def where_from(self, labels: Iterable[str]) -> str:
        """Say which tables are of your own run, and which are kept evidence."""
        own, kept = [], []
        for label in labels:
            if self.own(label):
                own.append(label)
            elif self.kept.numbers.get(label):
                kept.append(label)
        date = one_line(self.kept.origins.get(label, Origin()) for label in kept).date if kept else ""
        evidence = f"evidence kept under version control, measured {date or 'on a date not recorded'}"
        if own and kept:
            return f"Your own run: {', '.join(own)}. The other tables: {evidence}.{self._only_part(own)}"
        if kept:
            return f"This is the {evidence}; there is no run of your own."
        if own:
            return f"This is a run of your own.{self._only_part(own)}"
        if not self.effort.is_the_papers or self.kept.numbers:
            return ""
        return (
            "There is neither a run nor kept evidence in this folder: in a clone of the repository start "
            "from its top folder, or use --output CLONE/reproduction."
        )

    def _only_part(self, labels: Iterable[str]) -> str:
        """Say of which tables your own run has only some cells, for which the kept evidence is left aside."""
        rows = {label: (len(draws_by_cell(self.rows(label))), len(printed_rows(label))) for label in labels}
        part = [f"{n} of {printed} cells of {label}" for label, (n, printed) in rows.items() if n < printed]
        if not part:
            return ""
        place = self._measurements.folder.relative_to(self.folder)  # pages name no folder of the machine
        return (
            f" Your run has only {', '.join(part)}; without {place} in its folder the kept evidence is shown."
        )
