"""Claims that train networks of their own: experiments like the tables, whose rows decide.

`run "claim 14"` measures one anew. Each has one protocol; a quick run measures its first setting alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hebbian_descent.checks import Array
from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import Found
from reproduction.claims.judge import summary
from reproduction.context import Context, Effort
from reproduction.rows import Rows
from reproduction.running import Job

Records = Iterator[Mapping[str, Any]]
Setting = Mapping[str, str]


@dataclass(frozen=True)
class Networks:
    """Networks trained for a claim, one job for each setting, and the function that judges their rows."""

    label: str
    title: str
    settings: tuple[Setting, ...]
    measure: Callable[[Context, Setting], Records]
    judged: Callable[[Numbers], Found]
    rule: str
    tables: tuple[str, ...] = ()
    """Tables that the verdict depends on as well."""

    @property
    def check(self) -> str:
        """What is measured."""
        return summary(self.measure)

    @property
    def experiments(self) -> tuple[str, ...]:
        """The labels of these networks and of the tables."""
        return self.label, *self.tables

    @property
    def datasets(self) -> frozenset[str]:
        """The datasets that training loads."""
        return frozenset(s[name] for s in self.settings for name in ("dataset", "input") if name in s)

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Yield one job for each setting."""
        if effort.changes:
            raise ValueError(f"The protocol of {self.label} has no settings to change: leave --set out.")
        for setting in self.settings[: 1 if effort.quick else None]:
            yield Job("-".join(setting.values()), partial(self._records, setting))

    def _records(self, setting: Setting, context: Context, _: Rows) -> Records:
        for record in self.measure(context, setting):
            yield {**setting, **record}

    def found(self, numbers: Numbers) -> Found:
        """Judge, if all networks were trained."""
        if missing := self.missing(numbers.rows(self.label)):
            return Found("not run", f"Of {self.label} these jobs are missing: {', '.join(missing)}.")
        return self.judged(numbers)

    def missing(self, rows: Rows) -> list[str]:
        """Return the names of the jobs that have no rows."""
        there = {name for name, _ in each_cell(rows, *self.settings[0])} if len(rows) else set()
        return ["-".join(s.values()) for s in self.settings if " ".join(s.values()) not in there]


def each_cell(rows: Rows, *settings: str) -> Iterator[tuple[str, Rows]]:
    """Yield the rows of each network or stream under its name."""
    for words, found in rows.groupby([*settings], observed=True, sort=False):
        yield " ".join(words), found


def by_epoch(rows: Rows, measure: str) -> Array:
    """Return a measure after each epoch, the first one first."""
    found = rows[rows["measure"] == measure]
    values: Array = found["value"].to_numpy()[np.argsort(found["epoch"].astype(str).astype(int))]
    return values
