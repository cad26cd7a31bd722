"""Tables without verdicts: the user's own, and those that were run with another protocol than the paper's."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from hebbian_descent.paper.effort import Effort
from hebbian_descent.paper.index import INDEX
from hebbian_descent.paper.layout import averaged
from hebbian_descent.paper.measurements import Measurements, efforts_in
from hebbian_descent.paper.report.pictures import Picture, pictures


class PlainTable(NamedTuple):
    """What was measured, averaged over the draws."""

    label: str
    title: str
    headings: list[str]
    lines: list[list[str | float]]


class OtherEffort(NamedTuple):
    """What was run with another protocol than the rest of the page."""

    title: str
    options: str
    """Those of the command line that ask for it."""
    tables: list[PlainTable]
    pictures: list[Picture]


def own_tables(folder: Path, effort: Effort) -> list[PlainTable]:
    """Return the tables that are not the paper's."""
    measurements = Measurements(folder, effort)
    return [_plain(label, measurements) for label in measurements.labels() if label not in INDEX]


def other_efforts(folder: Path, shown: Effort) -> list[OtherEffort]:
    """Return what was run with other efforts than the one that the page is about and the paper's."""
    return [
        OtherEffort(
            "A quick look" if effort.quick else "Another protocol",
            shlex.join(effort.options),
            [_plain(label, measurements) for label in measurements.labels()],
            [picture for picture in pictures(folder, effort) if picture.source],
        )
        for effort in efforts_in(folder)
        if not effort.is_the_papers and effort.name != shown.name
        for measurements in [Measurements(folder, effort)]
    ]


def _plain(label: str, measurements: Measurements) -> PlainTable:
    headings, lines = averaged(measurements.rows(label))
    return PlainTable(label, measurements.read(label)[0].title, headings, lines)
