"""The loop that runs what is missing, for tables, studies and figures alike.

A job is a piece of work of some minutes at most. Its rows become one Parquet file as soon as it ends, so that
a killed run resumes after its last finished job, and nothing is counted twice.

    OUTPUT/parts/EFFORT/EXPERIMENT/JOB.parquet
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pandas as pd

from hebbian_descent.datasets import DatasetUnavailableError
from reproduction.context import Context, Effort
from reproduction.origin import this_origin
from reproduction.rows import Rows, committed, only, only_used, settings_of, tidy, together, write


class Job(NamedTuple):
    """A piece of work, saved as a unit."""

    name: str
    """Unique within its experiment, such as rand-adult-draw0."""
    measure: Callable[[Context, Rows], Iterable[Mapping[str, Any]]]
    """Takes the rows of the jobs before it, and returns records: settings, draw, trial, measure, value."""
    settings: Mapping[str, Any] = {}
    """What it is measured with; a part that was measured with other settings is measured again."""


class Runnable(Protocol):
    """What can be run: a table or a study."""

    @property
    def label(self) -> str:
        """Its name in the column `experiment`."""

    def jobs(self, effort: Effort) -> Iterable[Job]:
        """Return its jobs, the most informative first."""


class Outcome(NamedTuple):
    """What a run gave."""

    rows: Rows
    missing: tuple[str, ...] = ()
    """Why jobs could not run: datasets that are not there."""


def run(
    experiment: Runnable,
    context: Context,
    jobs: Iterable[Job] | None = None,
    ended: Callable[[Job, float | None], None] = lambda job, seconds: None,
) -> Outcome:
    """Run the jobs that have no part yet, and return the rows of all.

    `ended` is called after each job with the seconds that it took, or with None if its data are missing.
    """
    found: list[Rows] = []
    missing: dict[str, None] = {}
    for job in experiment.jobs(context.effort) if jobs is None else jobs:
        path = part_of(experiment.label, job.name, context)
        rows = read_part(path)
        try:
            if rows is None or rows.attrs.get("settings") != in_text(job.settings):
                rows = _measured(experiment.label, job, context, found)
                write(path, rows, rows.attrs)
            ended(job, rows.attrs["seconds"])
            found.append(rows)
        except DatasetUnavailableError as error:
            missing[str(error)] = None
            ended(job, None)
    return Outcome(together(found) if found else pd.DataFrame(), tuple(missing))


def _measured(label: str, job: Job, context: Context, before: list[Rows]) -> Rows:
    origin, start = this_origin(), time.perf_counter()  # the origin now: sources may change while it runs
    rows = tidy(label, job.measure(context, together(before) if before else pd.DataFrame()))
    seconds = round(time.perf_counter() - start, 1)
    rows.attrs = {"origin": origin._asdict(), "seconds": seconds, "settings": in_text(job.settings)}
    return rows


def in_text(settings: Mapping[str, Any]) -> str:
    """Return settings as text that is equal if they are."""
    return json.dumps(settings, sort_keys=True, default=str)


def rows_of(experiment: str, context: Context) -> Rows:
    """Return the rows of an experiment: of your own run, or else those under version control.

    By the paper's protocol a run counts once it has every cell; before, one pair of datasets would hide the
    committed numbers of all others.
    """
    own = finished(experiment, context)
    if not context.effort.is_the_papers:
        return own
    kept = only(committed(), experiment)
    return own if len(own) and cells_of(kept) <= cells_of(own) else kept


def cells_of(rows: Rows) -> set[tuple[str, ...]]:
    """Return the combinations of settings that were measured, whatever the order of the columns."""
    if not len(rows):
        return set()
    used = only_used(rows)
    return set(used[sorted(settings_of(used))].astype(str).itertuples(index=False, name=None))


def finished(experiment: str, context: Context) -> Rows:
    """Return the rows of all finished jobs of an experiment; empty if there are none."""
    found = parts_of(experiment, context)
    rows = together(found) if found else pd.DataFrame()
    if len(rows) and rows.duplicated([name for name in rows if name != "value"]).any():
        folder = _folder_of(experiment, context)
        raise ValueError(f"Each number must be measured by one part. Got several in {folder}: delete it.")
    return rows


def parts_of(experiment: str, context: Context) -> list[Rows]:
    """Return the rows of each finished job, with their origin and seconds in `attrs`."""
    paths = sorted(_folder_of(experiment, context).glob("*.parquet"))
    return [rows for path in paths if (rows := read_part(path)) is not None]


def read_part(path: Path) -> Rows | None:
    """Return the rows of a finished job, or None if there is no whole file: then it is run again."""
    try:
        rows = pd.read_parquet(path)
    except (OSError, ValueError):  # pyarrow's errors are among these
        return None
    return rows if "seconds" in rows.attrs else None


def part_of(experiment: str, job: str, context: Context) -> Path:
    """Return the file of a job."""
    return _folder_of(experiment, context) / f"{job}.parquet"


def _folder_of(experiment: str, context: Context) -> Path:
    return context.parts / re.sub(r"[^A-Za-z0-9_.-]", "_", experiment)
