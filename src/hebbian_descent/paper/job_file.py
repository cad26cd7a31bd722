"""File format of one job's measurements, with every field validated on reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.experiments.base import LABEL, Experiment, Measured
from hebbian_descent.paper.printed import printed_words
from hebbian_descent.paper.saved_json import as_float, as_list, as_object, as_text, as_whole
from hebbian_descent.storage.results import provenance

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


def as_content(
    experiment: Experiment, effort: Effort, job: str, rows: Sequence[Measured], seconds: float
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
    }


def from_content(content: Any) -> Measurement:
    """Return a valid measurement, or raise a ValueError."""
    fields = as_object(content, "the file")
    if fields.get("format") != FORMAT:
        raise ValueError(f"its format must be {FORMAT}, and is {fields.get('format')!r:.20}")
    label = as_text(fields.get("label"), "the label")
    if not LABEL.fullmatch(label):
        raise ValueError(f"the label must be 'tab:' and a name, and is {label!r:.200}")
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
    )


def settings_in(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that differ from the protocol."""
    settings = as_object(fields.get("settings"), "'settings'")
    return {name: as_text(value, f"the setting {name:.100}") for name, value in settings.items()}


def _row(content: Any) -> Measured:
    row = as_object(content, "a row")
    if set(row) != set(Measured._fields) - ({"draw"} - set(row)):
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
    return Measured(
        cell,
        results,
        std,
        as_float(row["learning_rate"], "the learning rate"),
        as_float(row["weight_decay"], "the weight decay"),
        as_whole(row["n_trials"], "the number of trials", at_least=1),
        as_whole(row.get("draw", 0), "the draw", at_least=0),
    )


def _check_together(label: str, rows: Sequence[Measured]) -> None:
    """Raise a ValueError unless all rows belong to one table, and to the paper's if it has the label."""
    shapes = {(frozenset(row.cell), frozenset(row.results)) for row in rows}
    if len(shapes) != 1:
        raise ValueError("its rows must have the same columns, and at least one must be there")
    words, results = printed_words(label)
    for row in rows if words else ():
        if set(row.cell) != set(words) or not results <= set(row.results):
            raise ValueError(f"its rows must have the columns of {label}")
        if any(word not in words[name] for name, word in row.cell.items()):
            raise ValueError(f"its rows must be of the data, rules and units of {label}")
