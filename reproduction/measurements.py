"""Measurements: one small file per job next to the store, enough for tables, verdicts and the report.

A file is written whole under another name and then renamed, so a reader never sees half of one. Every field
is validated on reading. Efforts other than the paper's have separate folders and are never mixed with it.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from hebbian_descent.datasets import DatasetUnavailableError
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.storage.results import provenance
from reproduction.experiments.base import LABEL, Experiment, Job, Measured
from reproduction.origin import Origin, origin_in, this_origin
from reproduction.printed import printed_words
from reproduction.run_context import Effort, RunContext, Search
from reproduction.saved_json import (
    as_float,
    as_list,
    as_object,
    as_text,
    as_whole,
    read_json,
    warn_of_damage,
)

PLAIN_NAME = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,99}")


class Measurements:
    """The measured rows in a folder, for one effort."""

    def __init__(self, folder: Path, effort: Effort) -> None:
        self.folder = folder / "measured" / effort.name
        self.effort = effort

    def path(self, label: str, job: str) -> Path:
        """Return the file of a job."""
        return self._folder(label) / file_name(job)

    def _folder(self, label: str) -> Path:
        return self.folder / label.replace(":", "_")

    def write(self, experiment: Experiment, job: str, rows: Sequence[Measured], seconds: float) -> None:
        """Save the rows of a job; the longest run's time is kept, since later runs read from the store."""
        path = self.path(experiment.label, job)
        path.parent.mkdir(parents=True, exist_ok=True)
        if experiment.source:
            self._drop_other_sources(path.parent, experiment.source)
        earlier = self._read(path)
        origin = this_origin()
        if earlier is not None and _without_trials(earlier.rows) == _without_trials(rows):
            seconds = max(seconds, earlier.seconds)
            origin = earlier.origin if earlier.origin.date else origin
        content = as_content(experiment, self.effort, job, rows, seconds, origin)
        text = json.dumps(content, indent=1) + "\n"
        from_content(json.loads(text))  # what could not be read again is refused
        write_atomically(path, text.encode())

    def _drop_other_sources(self, folder: Path, source: str) -> None:
        """Delete measurements made before the table's file was edited; its sweeps stay in the store."""
        for path in folder.glob("*.json"):
            earlier = self._read(path)
            if earlier is not None and earlier.source != source:
                path.unlink(missing_ok=True)

    def read(self, label: str) -> list[Measurement]:
        """Return the measurements of a label; damaged files count as missing, since running repairs them."""
        found: dict[str, Measurement] = {}
        for path in sorted(self._folder(label).glob("*.json")) if LABEL.fullmatch(label) else ():
            measurement = self._read(path)
            if measurement is None:
                continue
            # Earlier versions named some files differently: what was written last counts.
            if measurement.job not in found or path.name == file_name(measurement.job):
                found[measurement.job] = measurement
        return list(found.values())

    def labels(self) -> list[str]:
        """Return the labels with measurements, including those of custom tables."""
        found = (self._read(path) for path in sorted(self.folder.glob("*/*.json")))
        return list(dict.fromkeys(measurement.label for measurement in found if measurement is not None))

    def rows(self, label: str) -> list[Measured]:
        """Return all measured rows of a label."""
        return [row for measurement in self.read(label) for row in measurement.rows]

    def _read(self, path: Path) -> Measurement | None:
        try:
            found = from_content(read_json(path))
            if self._folder(found.label) != path.parent:
                raise ValueError(f"it is of {found.label}, which has another folder")
            return found
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            warn_of_damage(path, error, "`hebbian-descent run` measures it again")
            return None


def _without_trials(rows: Iterable[Measured]) -> list[Any]:
    """Return rows as files of earlier versions have them, to be compared."""
    return [
        row._replace(trials={}, results=_comparable(row.results), std=_comparable(row.std)) for row in rows
    ]


def _comparable(numbers: Mapping[str, float]) -> dict[str, Any]:
    """Return numbers with None for NaN, which is not equal to itself."""
    return {name: None if isnan(value) else value for name, value in numbers.items()}


def file_name(job: str) -> str:
    """Return a file name for a job, whatever its datasets are called.

    Some file systems do not distinguish upper and lower case, or two Unicode forms of one letter: names with
    other than lower-case letters get a hash.
    """
    if PLAIN_NAME.fullmatch(job):
        return f"{job}.json"
    readable = re.sub(r"[^a-z0-9_]+", "_", job.lower())[:50]
    return f"{readable}-{hashlib.sha256(job.encode(errors='surrogatepass')).hexdigest()[:16]}.json"


def keep_effort(folder: Path, effort: Effort) -> None:
    """Save the settings of an effort next to its figures, whose folder has only its name."""
    path = folder / "figures" / effort.name / "effort.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = {name: str(value) for name, value in effort.overrides.items()}
    write_atomically(path, json.dumps({"settings": settings}).encode())


def efforts_in(folder: Path) -> list[Effort]:
    """Return the efforts with measurements or figures in a folder, the paper's first."""
    found = {Effort().name: Effort()} if (folder / "measured" / Effort().name).is_dir() else {}
    measured = {path: path.parent.parent.name for path in sorted((folder / "measured").glob("*/*/*.json"))}
    drawn = {path: path.parent.name for path in sorted((folder / "figures").glob("*/effort.json"))}
    for path, name in {**measured, **drawn}.items():
        if name not in found:
            with suppress(OSError, ValueError):  # the measurements of a damaged file are missing anyway
                words = name.split("-")
                search: Search | None = "halving" if "halving" in words else None
                overrides = settings_in(as_object(read_json(path), "the file"))
                effort = Effort(quick="quick" in words, overrides=overrides, search=search)
                if effort.name == name:
                    found[name] = effort
    return list(found.values())


def run_jobs(
    experiment: Experiment,
    jobs: Iterable[Job],
    context: RunContext,
    ended: Callable[[Job, float | None], None] = lambda job, seconds: None,
) -> tuple[list[Measured], list[str]]:
    """Run jobs and save their rows; return the rows, and why jobs without data could not run.

    `ended` is called after each job with the seconds that it took, or with None if its data are missing.
    """
    measurements = Measurements(context.folder, context.effort)
    measured: list[Measured] = []
    reasons: dict[str, None] = {}
    for job in jobs:
        start = time.perf_counter()
        try:
            rows = job.run(context)
        except DatasetUnavailableError as error:
            reasons[str(error)] = None
            ended(job, None)
        else:
            seconds = time.perf_counter() - start
            measurements.write(experiment, job.name, rows, seconds)
            measured += rows
            ended(job, seconds)
    return measured, list(reasons)


FORMAT = 1


class Measurement(NamedTuple):
    """The rows of one job, and how they were computed."""

    label: str
    title: str
    job: str
    rows: tuple[Measured, ...]
    seconds: float
    """How long the cells took to compute, if this was the first run."""
    settings: str
    versions: Mapping[str, str] = {}
    """Versions of Python and the libraries used."""
    source: str = ""
    """A fingerprint of the file that defines the experiment."""
    origin: Origin = Origin()


def as_content(
    experiment: Experiment,
    effort: Effort,
    job: str,
    rows: Sequence[Measured],
    seconds: float,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Return the content of a job's file."""
    return {
        "format": FORMAT,
        "label": experiment.label,
        "title": experiment.title,
        "job": job,
        "source": experiment.source,
        "settings": {name: str(value) for name, value in effort.overrides.items()},
        "seconds": seconds,
        "rows": [row._asdict() for row in rows],
        "provenance": dict(provenance()),
        "origin": (origin or this_origin())._asdict(),
    }


def from_content(content: Any) -> Measurement:
    """Return a valid measurement, or raise a ValueError."""
    fields = as_object(content, "the file")
    if fields.get("format") != FORMAT:
        raise ValueError(f"its format must be {FORMAT}, but is {fields.get('format')!r:.20}")
    label = as_text(fields.get("label"), "the label")
    if not LABEL.fullmatch(label):
        raise ValueError(f"the label must be 'tab:' and a name, but is {label!r:.200}")
    rows = tuple(_row(row) for row in as_list(fields.get("rows"), "'rows'"))
    _check_together(label, rows)
    settings = settings_in(fields)
    versions = as_object(as_object(fields.get("provenance"), "'provenance'").get("versions"), "'versions'")
    return Measurement(
        label,
        as_text(fields.get("title"), "the title"),
        as_text(fields.get("job"), "the job"),
        rows,
        as_float(fields.get("seconds"), "the seconds", at_least=0),
        ", ".join(f"{name}={value}" for name, value in settings.items()),
        {name: as_text(version, "a version") for name, version in versions.items()},
        as_text(fields.get("source", ""), "the source"),
        origin_in(fields.get("origin", {})),
    )


def settings_in(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that differ from the protocol."""
    settings = as_object(fields.get("settings"), "'settings'")
    return {name: as_text(value, f"the setting {name:.100}") for name, value in settings.items()}


def _row(content: Any) -> Measured:
    row = as_object(content, "a row")
    if set(row) | {"draw", "trials"} != set(Measured._fields):  # earlier versions had neither
        raise ValueError(f"a row must have {', '.join(Measured._fields)}")
    cell = {
        name: as_text(word, "a word of a cell") for name, word in as_object(row["cell"], "a cell").items()
    }
    # A result is NaN where every learning rate diverged.
    results, std = (
        {name: as_float(value, name, may_be_nan=True) for name, value in as_object(row[part], part).items()}
        for part in ("results", "std")
    )
    if not cell or not results or set(std) != set(results):
        raise ValueError("a row must have a cell, and results with a deviation each")
    n_trials = as_whole(row["n_trials"], "the number of trials", at_least=1)
    return Measured(
        cell,
        results,
        std,
        as_float(row["learning_rate"], "the learning rate"),
        as_float(row["weight_decay"], "the weight decay"),
        n_trials,
        as_whole(row.get("draw", 0), "the draw", at_least=0),
        _trials(row.get("trials", {}), set(results), n_trials),
    )


def _trials(content: Any, names: set[str], n_trials: int) -> dict[str, tuple[float, ...]]:
    trials = {
        name: tuple(as_float(value, name, may_be_nan=True) for value in as_list(values, name))
        for name, values in as_object(content, "'trials'").items()
    }
    if trials and (set(trials) != names or {len(values) for values in trials.values()} != {n_trials}):
        raise ValueError("a row must have one value per trial of each result, or none")
    return trials


def _check_together(label: str, rows: Sequence[Measured]) -> None:
    """Raise a ValueError unless all rows belong to one table, and to the paper's if it has the label."""
    shapes = {(frozenset(row.cell), frozenset(row.results)) for row in rows}
    if len(shapes) != 1:
        raise ValueError("it must have at least one row, and all rows the same columns")
    words, results = printed_words(label)
    for row in rows if words else ():
        if set(row.cell) != set(words) or not results <= set(row.results):
            raise ValueError(f"its rows must have the columns of {label}")
        if any(word not in words[name] for name, word in row.cell.items()):
            raise ValueError(f"its rows must be of the data, rules and units of {label}")
