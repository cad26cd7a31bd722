"""Notes as small tables: open details of the protocol, misprints, reasons for differences, figures in words.

Documents show the tables of the protocol and of misprints; a test keeps them in step.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from fnmatch import fnmatchcase
from importlib import resources
from typing import Literal, NamedTuple

from reproduction.comparison import Verdict
from reproduction.layout import cell_name

Name = Literal["protocol", "misprints", "reasons", "figures"]

REASON_UNKNOWN = "Why these differ is not known."


def notes(name: Name) -> list[dict[str, str]]:
    """Return the rows of one table of notes."""
    text = resources.files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def reason(verdict: Verdict) -> str:
    """Return why a result differs, or nothing if the reason is not known.

    A reason names its table, cell and column as they are listed, or with * for any text.
    """
    return next(
        (
            known["reason"]
            for known in notes("reasons")
            if fnmatchcase(verdict.row.label, known["table"])
            and fnmatchcase(cell_name(verdict.row.cell), known["cell"])
            and fnmatchcase(verdict.column, known["column"])
        ),
        "",
    )


def differences(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Return the results that differ, by reason; the reason is empty if it is not known."""
    found: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.word == "differs":
            found[reason(verdict)].append(verdict)
    return found


class Description(NamedTuple):
    """A figure in words."""

    see: str
    """What the figure shows, for the line below it."""
    picture: str
    """What is drawn, for those who cannot see it."""


def figure_descriptions() -> dict[str, Description]:
    """Return the figures in words, by label."""
    return {row["label"]: Description(row["see"], row["alt"]) for row in notes("figures")}
