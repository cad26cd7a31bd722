"""What jobs measured, as small files beside the store: one a job, enough for tables, verdicts and the report.

A file is written whole under another name and then renamed, so a reader never sees half of one. Efforts other
than the paper's have folders of their own and are never mixed with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hebbian_descent.atomic import write_atomically
from hebbian_descent.paper.effort import Effort, Search
from hebbian_descent.paper.experiments.base import Experiment, Measured
from hebbian_descent.results import provenance

FORMAT = 1


class Measurement(NamedTuple):
    """The rows of one job, and how they came about."""

    label: str
    title: str
    job: str
    rows: tuple[Measured, ...]
    seconds: float
    """How long the computing of its cells took, if this was the first run."""
    settings: str
    versions: Mapping[str, str] = {}
    """Of Python and the libraries that computed it."""
    source: str = ""
    """A fingerprint of the file that defines the experiment."""


class Measurements:
    """The measured rows in a folder, for one effort."""

    def __init__(self, folder: Path, effort: Effort) -> None:
        self.folder = folder / "measured" / effort.name
        self.effort = effort

    def path(self, label: str, job: str) -> Path:
        """Return where the rows of a job are kept."""
        return self.folder / label.replace(":", "_") / f"{job}.json"

    def write(self, experiment: Experiment, job: str, rows: Sequence[Measured], seconds: float) -> None:
        """Keep the rows of a job; of several runs the longest counts, since others took from the store."""
        path = self.path(experiment.label, job)
        path.parent.mkdir(parents=True, exist_ok=True)
        if experiment.source:
            self._drop_other_sources(path.parent, experiment.source)
        earlier = self._read(path)
        content = {
            "format": FORMAT,
            "label": experiment.label,
            "title": experiment.title,
            "job": job,
            "source": experiment.source,
            "settings": {name: str(value) for name, value in self.effort.overrides.items()},
            "seconds": max(seconds, earlier.seconds if earlier and earlier.rows == tuple(rows) else 0.0),
            "rows": [row._asdict() for row in rows],
            "provenance": dict(provenance()),
        }
        write_atomically(path, (json.dumps(content, indent=1) + "\n").encode())

    def _drop_other_sources(self, folder: Path, source: str) -> None:
        """Drop what the same table measured before its file was edited; its sweeps stay in the store."""
        for path in folder.glob("*.json"):
            earlier = self._read(path)
            if earlier is not None and earlier.source != source:
                path.unlink(missing_ok=True)

    def read(self, label: str) -> list[Measurement]:
        """Return what there is of a label; damaged files count as missing, since running repairs them."""
        folder = self.path(label, "").parent
        found = (self._read(path) for path in sorted(folder.glob("*.json")))
        return [measurement for measurement in found if measurement is not None]

    def labels(self) -> list[str]:
        """Return the labels of which there is something, also those that are not the paper's."""
        found = (self._read(path) for path in sorted(self.folder.glob("*/*.json")))
        return list(dict.fromkeys(measurement.label for measurement in found if measurement is not None))

    def rows(self, label: str) -> list[Measured]:
        """Return all measured rows of a label."""
        return [row for measurement in self.read(label) for row in measurement.rows]

    def has(self, label: str, job: str) -> bool:
        """Whether a job was measured."""
        return self._read(self.path(label, job)) is not None

    def _read(self, path: Path) -> Measurement | None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                return None
            if self.path(content["label"], path.stem) != path:
                return None
            rows = tuple(_checked(Measured(**row)) for row in content["rows"])
            settings = ", ".join(f"{name}={value}" for name, value in content["settings"].items())
            return Measurement(
                content["label"],
                content["title"],
                content["job"],
                rows,
                content["seconds"],
                settings,
                content["provenance"]["versions"],
                content.get("source", ""),
            )
        except (AttributeError, KeyError, OSError, TypeError, ValueError):
            return None


def _checked(row: Measured) -> Measured:
    """Return a row that can be shown and judged, or refuse it."""
    numbers = (*row.results.values(), *row.std.values(), row.learning_rate, row.weight_decay)
    if not row.results or set(row.std) != set(row.results):
        raise ValueError("A row must have results, each with its deviation.")
    if not all(isinstance(number, (int, float)) for number in numbers):
        raise TypeError("A row must have numbers as results.")
    return row


def keep_effort(folder: Path, effort: Effort) -> None:
    """Keep what an effort was, whose figures tell only its name."""
    path = folder / "figures" / effort.name / "effort.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = {name: str(value) for name, value in effort.overrides.items()}
    write_atomically(path, json.dumps({"settings": settings}).encode())


def efforts_in(folder: Path) -> list[Effort]:
    """Return the efforts of which a folder holds measurements or figures, the paper's first."""
    found = {Effort().name: Effort()} if (folder / "measured" / Effort().name).is_dir() else {}
    measured = {path: path.parent.parent.name for path in sorted((folder / "measured").glob("*/*/*.json"))}
    drawn = {path: path.parent.name for path in sorted((folder / "figures").glob("*/effort.json"))}
    for path, name in {**measured, **drawn}.items():
        if name not in found:
            with suppress(AttributeError, KeyError, TypeError, ValueError):
                settings = json.loads(path.read_text(encoding="utf-8"))["settings"]
                overrides = dict(settings.items())
                words = name.split("-")
                search: Search | None = "halving" if "halving" in words else None
                found[name] = Effort(quick="quick" in words, overrides=overrides, search=search)
    return list(found.values())
