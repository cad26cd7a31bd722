"""What a study is: a question that the paper leaves open, how it is measured, and what the rows answer.

A study is data. Its axes multiply to jobs, which `reproduction.running.run` runs. Tables, figure and answer
follow from its rows alone, so that a page can be written from the committed ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from hebbian_descent.checks import MissingExtraError
from reproduction.context import Context, Effort
from reproduction.evidence import Interval, Word, interval
from reproduction.rows import Rows, by_repetition, committed, only, together
from reproduction.running import Job, part_of, read_part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Settings = Mapping[str, Any]
Record = Mapping[str, Any]
"""What was measured at once: further settings, a draw if the axes have none, and numbers by measure."""


class Answer(NamedTuple):
    """The verdict on what the paper says, and the sentences that answer the question."""

    verdict: Word
    text: str


class Change(NamedTuple):
    """What was changed after results were in sight: a rule, a size, a control."""

    date: str
    """Such as 2025-01-31."""
    old: str
    new: str
    old_verdict: str
    """The verdict by what was before, on the numbers of the time."""
    verdict: str = ""
    """That by what is new; by default the same."""

    def __str__(self) -> str:
        verdict = self.verdict or self.old_verdict
        return f"{self.date}: {self.old} → {self.new} (verdict: {self.old_verdict} → {verdict})"


@dataclass(frozen=True, kw_only=True)
class Study:
    """A question that the paper leaves open."""

    name: str
    title: str
    section: str
    """The label of the paper's section that raises the question."""
    says: str
    """What the paper says there, in our words."""
    question: str
    protocol: tuple[str, ...]
    """How it was measured, one line each; names of settings and axes in braces stand for their values."""
    rule: str
    """Which numbers give which verdict."""
    changes: tuple[Change, ...] = ()

    axes: Mapping[str, Sequence[Any]]
    """Each combination of values is one job. A value that is a mapping stands for several settings."""
    settings: Settings = field(default_factory=dict)
    """What all jobs share; not in the rows."""
    quick: Settings = field(default_factory=dict)
    """What differs in a quick look, which has two draws and needs no data but what the package brings."""
    measure: Callable[[SimpleNamespace, Rows], Iterable[Record]]
    """Takes settings, axes and `context` of a job as attributes, and the rows of the jobs before it."""
    measures: tuple[str, ...] = ("error", "learning_rate")
    """What is a number in a record; the rest are settings."""
    needs: tuple[str, ...] = ()
    """Libraries without which it cannot be run, which the group `reproduction` installs."""

    answer: Callable[[Rows], Answer]
    table: Callable[[Rows], pd.DataFrame]
    """The main table: a column per heading, its cells as they are shown."""
    further_tables: Callable[[Rows], Mapping[str, pd.DataFrame]] = lambda rows: {}
    """What was measured besides, by title."""
    figure: Callable[[Rows], Figure]
    caption: str

    @property
    def label(self) -> str:
        """Its name in the column `experiment`."""
        return self.name

    @property
    def steps(self) -> list[str]:
        """The protocol with the values of the settings."""
        values = {name: in_words(value) for name, value in {**self.axes, **self.settings}.items()}
        return [line.format(**values) for line in self.protocol]

    def tables(self, rows: Rows) -> dict[str, pd.DataFrame]:
        """Return all tables by title; the first has none."""
        return {"": self.table(rows), **self.further_tables(rows)}

    def jobs(self, effort: Effort) -> Iterator[Job]:
        """Return a job per combination of the axes, in their order."""
        settings = effort.applied_to({**self.axes, **self.settings}, {"draw": range(2), **self.quick})
        for values in product(*(settings[axis] for axis in self.axes)):
            at = _at(zip(self.axes, values, strict=True))
            measured_with = {**{name: settings[name] for name in self.settings}, **at}
            yield Job(_name_of(at), partial(self._measured, settings, at), measured_with)

    def rows(self, context: Context) -> Rows:
        """Return the rows of your own run if it is finished, or else those under version control."""
        names = (job.name for job in self.jobs(context.effort))
        parts = [read_part(part_of(self.label, name, context)) for name in names]
        if all(part is not None for part in parts):
            return together(parts)
        return only(committed(), self.label) if context.effort.is_the_papers else pd.DataFrame()

    def _measured(self, settings: Settings, at: Settings, context: Context, before: Rows) -> Iterator[Record]:
        """Yield a record per number of a job."""
        for library in self.needs:
            if find_spec(library) is None:
                raise MissingExtraError(
                    f"The study {self.name} needs {library}, which is not installed: "
                    "pip install --group reproduction"
                )
        for record in self.measure(SimpleNamespace(context=context, **{**settings, **at}), before):
            found = {**at, **record}
            shared = {name: as_setting(name, found[name]) for name in found if name not in self.measures}
            for name in self.measures:
                if name in found:
                    yield {**shared, "measure": name, "value": float(found[name])}


def _at(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the settings of one combination."""
    found: dict[str, Any] = {}
    for axis, value in values:
        found |= value if isinstance(value, Mapping) else {axis: value}
    return found


def _name_of(at: Settings) -> str:
    words = (f"draw{value}" if axis == "draw" else str(as_setting(axis, value)) for axis, value in at.items())
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", "-".join(words))


def as_setting(name: str, value: Any) -> Any:
    """Return a setting as it stands in the rows: a text, but draws and trials are integers."""
    if name in ("draw", "trial"):
        return int(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def pairs(*names: str) -> list[dict[str, str]]:
    """Return values of an axis from words such as "rand → adult": the inputs and the targets."""
    return [dict(zip(("input", "target"), name.split(" → "), strict=True)) for name in names]


def contrast(rows: Rows, measure: str, axis: str, this: str, that: str) -> pd.Series:
    """Return by how much a measure is larger for `this` than for `that`: an interval per cell of the rest.

    Differences are paired by draw; a draw counts where both sides have it.
    """
    found = by_repetition(rows, measure)
    larger, smaller = (found.xs(value, level=axis) for value in (this, that))
    return intervals(larger - smaller.reindex(larger.index))


def intervals(differences: pd.DataFrame) -> pd.Series:
    """Return an interval per line of differences, whose columns are draws."""
    found: list[Interval] = [interval(line[~pd.isna(line)]) for line in differences.to_numpy()]
    return pd.Series(found, index=differences.index, dtype=object)


def in_words(value: Any) -> str:
    """Write a value, or several with commas and "and"; a range as "0 to 5"."""
    if isinstance(value, range):
        return f"{value[0]} to {value[-1]}" if len(value) > 1 else str(value[0])
    if isinstance(value, Mapping):
        return " → ".join(map(in_words, value.values()))
    if isinstance(value, list | tuple):
        *first, last = map(in_words, value)
        return f"{', '.join(first)} and {last}" if first else last
    return f"{value:,g}" if isinstance(value, int | float) else str(value)
